import { expect, test } from "bun:test";
import { retryWithinMs } from "./lifecycle.ts";

test("clients of a stopping server return within a second for each 5,000 of them", () => {
  expect([0, 1, 5_000, 5_001, 50_000].map(retryWithinMs)).toEqual([1_000, 1_000, 1_000, 2_000, 10_000]);
});
