import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { CpuThrottle } from "./cpu-throttle.ts";

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
