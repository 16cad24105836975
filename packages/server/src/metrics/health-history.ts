import { HEALTH_SAMPLE_SECONDS, type HealthSeries } from "@parley/protocol/health";
import type { Clock } from "../clock.ts";

/** The samples of one hour. */
const KEPT = 3_600 / HEALTH_SAMPLE_SECONDS;
/** A rate over a shorter time says little. */
const SHORTEST_MS = 1_000;

/** Counters since the start of the process, and levels. */
export interface HealthReading {
  messages: number;
  requests: number;
  refusals: number;
  commits: { count: number; seconds: number };
  cpuSeconds: number;
  sockets: number;
  residentBytes: number;
}

type Sample = { [Name in keyof HealthSeries]: number };

/** Keeps the process's health over the last hour in memory, for the charts of administrators (protocol §11). */
export class HealthHistory implements Disposable {
  readonly #clock: Clock;
  readonly #read: () => HealthReading;
  readonly #timer: Timer;
  /** Oldest first. */
  readonly #samples: Sample[] = [];
  #last: { at: number; reading: HealthReading };
  /** The longest delay of the event loop since the last sample, in seconds. */
  #lag = 0;

  constructor(clock: Clock, read: () => HealthReading) {
    this.#clock = clock;
    this.#read = read;
    this.#last = { at: clock.monotonic(), reading: read() };
    this.#timer = setInterval(() => this.sample(), HEALTH_SAMPLE_SECONDS * 1_000);
    this.#timer.unref();
  }

  /** Notes a delay of the event loop. */
  lagged(seconds: number): void {
    this.#lag = Math.max(this.#lag, seconds);
  }

  /** Adds the sample of the time since the last one. A timer calls it. */
  sample(): void {
    const now = { at: this.#clock.monotonic(), reading: this.#read() };
    this.#samples.push(this.#between(now));
    if (this.#samples.length > KEPT) this.#samples.shift();
    this.#last = now;
    this.#lag = 0;
  }

  /** Returns the samples, oldest first; the last one is of the time until now. */
  series(): HealthSeries {
    const now = { at: this.#clock.monotonic(), reading: this.#read() };
    const isLong = now.at - this.#last.at >= SHORTEST_MS;
    const samples = isLong ? [...this.#samples, this.#between(now)].slice(-KEPT) : this.#samples;
    const column = (name: keyof HealthSeries) => samples.map((sample) => Number(sample[name].toPrecision(4)));
    return {
      messages_per_second: column("messages_per_second"),
      requests_per_second: column("requests_per_second"),
      sockets: column("sockets"),
      commit_ms: column("commit_ms"),
      event_loop_lag_ms: column("event_loop_lag_ms"),
      cpu_percent: column("cpu_percent"),
      memory_mib: column("memory_mib"),
      refusals_per_second: column("refusals_per_second"),
    };
  }

  #between(now: { at: number; reading: HealthReading }): Sample {
    const { at, reading: before } = this.#last;
    const { reading } = now;
    const seconds = Math.max(0.001, (now.at - at) / 1_000);
    const commits = reading.commits.count - before.commits.count;
    return {
      messages_per_second: (reading.messages - before.messages) / seconds,
      requests_per_second: (reading.requests - before.requests) / seconds,
      sockets: reading.sockets,
      commit_ms: commits === 0 ? 0 : (1_000 * (reading.commits.seconds - before.commits.seconds)) / commits,
      event_loop_lag_ms: this.#lag * 1_000,
      cpu_percent: (100 * (reading.cpuSeconds - before.cpuSeconds)) / seconds,
      memory_mib: reading.residentBytes / 1_048_576,
      refusals_per_second: (reading.refusals - before.refusals) / seconds,
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
