import { expect, test } from "bun:test";
import { median, summarize } from "./statistics.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("the spread is the range over the median", () => {
  expect(summarize([90, 100, 110])).toEqual({ median: 100, min: 90, max: 110, spreadPercent: 20, rounds: 3 });
});
