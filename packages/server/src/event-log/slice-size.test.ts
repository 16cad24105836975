import { describe, expect, test } from "bun:test";
import { SliceSize } from "./slice-size.ts";

/** Returns the sizes after transactions that handled `seqs` and took these milliseconds. */
function sizes(slice: SliceSize, took: readonly { seqs?: number; wall?: number; cpu?: number }[]): number[] {
  return took.map(({ seqs = slice.seqs, wall = 0, cpu = 0 }) => {
    slice.adapt(seqs, { wall, cpu });
    return slice.seqs;
  });
}

describe("the size of a consumer's slice", () => {
  test("begins at 256, or at the batch if that is less", () => {
    expect([1_000, 100].map((batch) => new SliceSize(true, batch).seqs)).toEqual([256, 100]);
  });

  test("on SQLite becomes half after more than 3 ms, down to 16, whatever the processor did", () => {
    const slow = { wall: 3.1 };
    expect(sizes(new SliceSize(true, 1_000), [{ wall: 3, cpu: 9 }, ...Array(5).fill(slow)])).toEqual([
      256, 128, 64, 32, 16, 16,
    ]);
  });

  test("on PostgreSQL becomes half after more than 8 ms of the processor, down to 64, whatever it waited", () => {
    const slow = { cpu: 8.1 };
    expect(sizes(new SliceSize(false, 1_000), [{ wall: 99, cpu: 8 }, slow, slow, slow])).toEqual([256, 128, 64, 64]);
  });

  test("doubles after less than half of that, up to the batch", () => {
    const steps = [{ wall: 1.5 }, { wall: 1.4 }, { wall: 0 }];
    expect(sizes(new SliceSize(true, 1_000), steps)).toEqual([256, 512, 1_000]);
  });

  test("doubles only if the slice was more than half full", () => {
    expect(sizes(new SliceSize(true, 1_000), [{ seqs: 128 }, { seqs: 129 }])).toEqual([256, 512]);
  });
});
