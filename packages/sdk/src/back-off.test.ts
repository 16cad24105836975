import { expect, test } from "bun:test";
import { CLOSE as PROTOCOL } from "@parley/protocol/realtime";
import { BACK_OFF, CLOSE, pause, waitAfterClose, waitMs } from "./back-off.ts";

test("the close codes are the protocol's", () => {
  expect(CLOSE).toEqual(PROTOCOL);
});

test("waits double from the first to the longest, between half and whole", () => {
  const whole = Array.from({ length: 8 }, (_, attempt) => waitMs(attempt, BACK_OFF, 1));
  expect(whole).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
  expect(waitMs(2, BACK_OFF, 0)).toBe(1_000);
  expect(waitMs(5_000, BACK_OFF, 1)).toBe(20_000);
});

test.each([
  ["a restart, at first", 1012, 0, 1, 1_000],
  ["a restart that takes long", 1012, 3, 1, 4_000],
  ["a slow reader resumes at once", 4409, 0, 1, 0],
  ["a slow reader that stays slow", 4409, 2, 1, 2_000],
  ["too many frames", 4408, 0, 0, 2_250],
  ["a broken connection", 1006, 1, 1, 1_000],
  ["bad frames", 4400, 1, 1, 1_000],
  ["the session is over", 4401, 0, 1, null],
  ["access ended", 4403, 0, 1, null],
] as const)("%s (%d)", (_, code, attempt, chance, wait) => {
  expect(waitAfterClose(code, attempt, BACK_OFF, chance)).toBe(wait);
});

test("a pause ends with its signal", async () => {
  const stop = new AbortController();
  const pausing = pause(60_000, stop.signal);
  stop.abort();
  await pausing;
  await pause(60_000, stop.signal);
});
