import { expect, test } from "bun:test";
import { countPerSecond, median, percentile, rise, steps, summarize } from "./statistics.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("the spread is the range over the median", () => {
  expect(summarize([90, 100, 110])).toEqual({ median: 100, min: 90, max: 110, spreadPercent: 20, rounds: 3 });
});

test("a percentile is a value that was measured", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(percentile(values, 0.5)).toBe(51);
  expect(percentile(values, 0.95)).toBe(96);
  expect(percentile(values, 1)).toBe(100);
});

test("a line through the values rises with them, and not with what only goes up and down", () => {
  expect(rise([1, 2, 3, 4])).toBeCloseTo(3);
  expect(rise([5, 4, 4, 5])).toBeCloseTo(0);
  expect(rise([10, 8, 6])).toBeCloseTo(-4);
  expect(rise([7])).toBe(0);
});

test("moments are counted by the whole seconds since the first, the begun one left out", () => {
  const moments = [500, 600, 1_499, 1_500, 2_499, 2_500, 2_900];
  expect(countPerSecond(moments)).toEqual([3, 2]);
  expect(steps([0, 16, 50])).toEqual([16, 34]);
});
