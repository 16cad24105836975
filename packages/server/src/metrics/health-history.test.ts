import { expect, test } from "bun:test";
import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import { HealthHistory, type HealthReading } from "./health-history.ts";

const reading: HealthReading = {
  messages: 0,
  requests: 0,
  refusals: 0,
  commits: { count: 0, seconds: 0 },
  cpuSeconds: 0,
  sockets: 0,
  residentBytes: 0,
};

/** A history by a clock and numbers that the test moves. */
function make() {
  const state = { now: 0, reading };
  const clock: Clock = { ...systemClock, monotonic: () => state.now };
  const history = new HealthHistory(clock, () => state.reading);
  const after = (seconds: number, change: Partial<HealthReading>) => {
    state.now += seconds * 1_000;
    state.reading = { ...state.reading, ...change };
  };
  return { history, after };
}

test("a sample has the rates, means and levels of its time", () => {
  const { history, after } = make();
  using _ = history;
  history.lagged(0.02);
  history.lagged(0.01);
  after(10, {
    messages: 50,
    requests: 200,
    refusals: 5,
    commits: { count: 4, seconds: 0.008 },
    cpuSeconds: 2.5,
    sockets: 7,
    residentBytes: 64 * 1_048_576,
  });
  history.sample();
  after(10, { messages: 60 });
  history.sample();
  expect(history.series()).toEqual({
    messages_per_second: [5, 1],
    requests_per_second: [20, 0],
    refusals_per_second: [0.5, 0],
    commit_ms: [2, 0],
    event_loop_lag_ms: [20, 0],
    cpu_percent: [25, 0],
    sockets: [7, 7],
    memory_mib: [64, 64],
  });
});

test("the last value covers the time since the last sample, from one second on", () => {
  const { history, after } = make();
  using _ = history;
  after(0.5, { messages: 1 });
  expect(history.series().messages_per_second).toEqual([]);
  after(1.5, { messages: 4 });
  expect(history.series().messages_per_second).toEqual([2]);
  history.sample();
  expect(history.series().messages_per_second).toEqual([2]);
});

test("one hour is kept", () => {
  const { history, after } = make();
  using _ = history;
  for (let n = 1; n <= 400; n++) {
    after(10, { sockets: n });
    history.sample();
  }
  after(5, { sockets: 401 });
  const { sockets } = history.series();
  expect([sockets.length, sockets[0], sockets.at(-1)]).toEqual([360, 42, 401]);
});
