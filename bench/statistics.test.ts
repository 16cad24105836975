import { expect, test } from "bun:test";
import { countPerSecond, intervals, linearGrowth, median, percentile, summarize } from "./statistics.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("the spread is the range divided by the median", () => {
  expect(summarize([90, 100, 110])).toEqual({ median: 100, min: 90, max: 110, spreadPercent: 20, rounds: 3 });
});

test("a percentile is one of the measured values", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(percentile(values, 0.5)).toBe(51);
  expect(percentile(values, 0.95)).toBe(96);
  expect(percentile(values, 1)).toBe(100);
});

test("linear growth follows a trend and ignores oscillation", () => {
  expect(linearGrowth([1, 2, 3, 4])).toBeCloseTo(3);
  expect(linearGrowth([5, 4, 4, 5])).toBeCloseTo(0);
  expect(linearGrowth([10, 8, 6])).toBeCloseTo(-4);
  expect(linearGrowth([7])).toBe(0);
});

test("moments are counted per whole second, without the last incomplete one", () => {
  const moments = [500, 600, 1_499, 1_500, 2_499, 2_500, 2_900];
  expect(countPerSecond(moments)).toEqual([3, 2]);
  expect(intervals([0, 16, 50])).toEqual([16, 34]);
});
