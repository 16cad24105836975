import { expect, test } from "bun:test";
import { thresholds } from "../config/parse.ts";
import { honorLevel } from "./score.ts";

const CONTRACT = [0, 100, 200, 300, 500, 800, 1300, 2000, 3000, 5000, 8000];

test.each([
  [0, 0],
  [99, 0],
  [100, 1],
  [101, 1],
  [499, 3],
  [500, 4],
  [7_999, 9],
  [8_000, 10],
  [1_000_000, 10],
])("%d earned points are honor level %d", (points, level) => {
  expect(honorLevel(CONTRACT, points)).toBe(level);
});

test("one threshold is one honor level", () => {
  expect(honorLevel([0], 1_000)).toBe(0);
});

test.each(["0", "0,1", " 0 , 10,20 "])("honor thresholds can be %p", (text) => {
  expect(thresholds(text)[0]).toBe(0);
});

test.each(["", "1", "0,0", "0,5,4", "0,x", "0,-1", "0,1.5"])("honor thresholds cannot be %p", (text) => {
  expect(() => thresholds(text)).toThrow(/must be/);
});
