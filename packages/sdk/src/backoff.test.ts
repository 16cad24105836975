import { expect, test } from "bun:test";
import { CLOSE as PROTOCOL } from "@parley/protocol/realtime";
import { BACKOFF, CLOSE, pause, waitAfterClose, waitMs } from "./backoff.ts";

test("knows the close codes of the protocol", () => {
  expect(CLOSE).toEqual(PROTOCOL);
});

test("doubles the wait after each failure, with jitter between half and all of it", () => {
  const whole = Array.from({ length: 8 }, (_, attempt) => waitMs(attempt, BACKOFF, 1));
  expect(whole).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
  expect(waitMs(2, BACKOFF, 0)).toBe(1_000);
  expect(waitMs(5_000, BACKOFF, 1)).toBe(20_000);
});

test.each([
  ["a restart", 1012, 0, 1, 1_000],
  ["a long restart", 1012, 3, 1, 4_000],
  ["a first close of a slow reader", 4409, 0, 1, 0],
  ["repeated closes of a slow reader", 4409, 2, 1, 2_000],
  ["too many frames", 4408, 0, 0, 2_250],
  ["a broken connection", 1006, 1, 1, 1_000],
  ["bad frames", 4400, 1, 1, 1_000],
  ["the end of the session", 4401, 0, 1, null],
  ["the end of access", 4403, 0, 1, null],
] as const)("waits as long as it should after %s (%d)", (_, code, attempt, chance, wait) => {
  expect(waitAfterClose(code, attempt, BACKOFF, chance)).toBe(wait);
});

test("spreads the return over the time that a restarting server names, within the longest wait", () => {
  expect(waitAfterClose(CLOSE.restart, 0, BACKOFF, 0.5, 8_000)).toBe(4_000);
  expect(waitAfterClose(CLOSE.restart, 0, BACKOFF, 1, 80_000)).toBe(BACKOFF.maxMs);
  expect(waitAfterClose(CLOSE.restart, 1, BACKOFF, 1, 8_000)).toBe(1_000);
});

test("ends a pause when its signal aborts", async () => {
  const stop = new AbortController();
  const pausing = pause(60_000, stop.signal);
  stop.abort();
  await pausing;
  await pause(60_000, stop.signal);
});
