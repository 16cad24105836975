import { describe, expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { CpuThrottle, SliceSize } from "./consumer-pace.ts";

/**
 * Simulates a server whose other work uses `load` of the core for `ms`, then 10 ms of background work that gets `speed`
 * of it.
 */
function world(holdsThread = true) {
  const clock = stillClock();
  let cpu = 0;
  const pace = new CpuThrottle(clock, holdsThread, () => cpu);
  return (ms: number, load: number, speed = 1): number => {
    clock.advance(ms);
    cpu += ms * load;
    const stop = pace.start();
    clock.advance(10);
    cpu += 10 * speed;
    const spent = stop();
    expect(spent.wall).toBe(10);
    expect(spent.cpu).toBeCloseTo(10 * speed);
    return pace.restAfter(spent.wall);
  };
}

const BESIDE_BUSY = 990;
const BESIDE_QUIET = 30;

test("background work takes a hundredth of the core on a busy server and a quarter on a quiet one", () => {
  const work = world();
  expect(work(1, 0)).toBeCloseTo(BESIDE_BUSY);
  expect(work(1_000, 0.1)).toBeCloseTo(BESIDE_QUIET);
  expect(work(1_000, 0.9)).toBeCloseTo(BESIDE_BUSY);
  expect(work(1_000, 0)).toBeCloseTo(BESIDE_QUIET);
});

test("a server that gets little of the core counts as busy with little work", () => {
  const work = world();
  expect(work(1_000, 0.3, 0.3)).toBeCloseTo(BESIDE_BUSY);
  expect(work(1_000, 0.02, 0.3)).toBeCloseTo(BESIDE_QUIET);
});

test("work that waits for a database does not make the server look busy", () => {
  const work = world(false);
  expect(work(1_000, 0.2, 0.1)).toBeCloseTo(BESIDE_QUIET);
  expect(work(1_000, 0.9, 0.1)).toBeCloseTo(490);
});

test("background work itself does not count as load", () => {
  const work = world();
  for (let i = 0; i < 100; i++) work(2, 0);
  expect(work(0, 0)).toBeCloseTo(BESIDE_QUIET);
});

test("a slow piece is followed by a rest of at most five seconds", () => {
  const throttle = new CpuThrottle(stillClock(), true, () => 0);
  expect(throttle.restAfter(40)).toBeCloseTo(3_960);
  expect(throttle.restAfter(400)).toBe(5_000);
});

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
