import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { BackOff } from "./backoff.ts";

test("each failure delays the next attempt more, up to a limit, until one succeeds", () => {
  const clock = stillClock();
  const failures = new BackOff(clock, 1_000, 3_000);
  expect(failures.nextIn).toBeUndefined();
  for (const wait of [1_000, 2_000, 3_000, 3_000]) {
    failures.failed(7);
    failures.failed(8);
    expect(failures.nextIn).toBe(wait);
    clock.advance(wait - 1);
    expect(failures.due()).toEqual([]);
    clock.advance(1);
    expect(failures.due()).toEqual([7, 8]);
  }
  failures.succeeded(7);
  expect([failures.has(7), failures.has(8)]).toEqual([false, true]);
  expect(failures.due()).toEqual([8]);
});
