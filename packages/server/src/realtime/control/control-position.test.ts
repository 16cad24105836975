import { expect, test } from "bun:test";
import { ControlPosition } from "./control-position.ts";

const MINUTE_MS = 60_000;

test("handles each id once, in whatever order it comes", () => {
  const position = new ControlPosition(10);
  const handled = [14, 12, 11, 14, 10, 13, 12].filter((id) => position.take(id, 0));
  expect(handled).toEqual([14, 12, 11, 13]);
  expect({ max: position.max, gaps: position.gaps }).toEqual({ max: 14, gaps: [] });
});

test("misses every row of a large transaction that is committed after a later one", () => {
  const position = new ControlPosition(0);
  expect(position.take(5_001, 0)).toBe(true);
  expect(position.gaps).toMatchObject([{ from: 1, to: 5_000 }]);
  for (const id of [1, 5_000, 2_500]) expect(position.take(id, 0)).toBe(true);
  expect(position.gaps).toMatchObject([
    { from: 2, to: 2_499 },
    { from: 2_501, to: 4_999 },
  ]);
});

test("forgets what a reading did not find a minute after it was missed", () => {
  const position = new ControlPosition(0);
  position.take(2, 0);
  position.take(4, 1_000);
  position.forget(MINUTE_MS - 1);
  expect(position.gaps).toHaveLength(2);
  position.forget(MINUTE_MS);
  expect(position.gaps).toMatchObject([{ from: 3, to: 3 }]);
  expect(position.take(1, 0)).toBe(false);
});

test("keeps a bounded number of gaps, and misses rather too much than too little", () => {
  const position = new ControlPosition(0);
  for (let id = 2; id <= 10_000; id += 2) position.take(id, id);
  expect(position.gaps.length).toBeLessThanOrEqual(500);
  expect(position.take(1, 0)).toBe(true);
  expect(position.take(9_999, 0)).toBe(true);
});
