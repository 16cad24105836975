import { Counter, Gauge, type Metric, type Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import { Distribution } from "./distribution.ts";

type Labels = Record<string, string>;
/** One line of a metric. */
export type Sample = readonly [labels: Labels, value: number];

/** Adds a counter without labels. `read` returns its value and is called at each scrape. */
export function counter(registry: Registry, name: string, help: string, read: () => number): void {
  counters(registry, name, help, [], () => [[{}, read()]]);
}

/** Adds a counter with labels; see `counter`. */
export function counters(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => Sample[],
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

/** Adds a gauge without labels; see `counter`. */
export function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** Adds a gauge with labels; see `counter`. */
export function gauges(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => Sample[],
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

/** Adds a histogram with one distribution for each set of labels; see `counter`. */
export function histogram(
  registry: Registry,
  name: string,
  help: string,
  read: () => (readonly [Labels, Distribution])[],
): void {
  const metric = {
    name,
    help,
    type: "histogram",
    get: async () => ({
      name,
      help,
      type: "histogram",
      values: read().flatMap(([labels, distribution]) => distribution.samples(name, labels)),
    }),
  };
  // The registry only uses `name` and `get()` of a metric; its type accepts only the library's classes.
  registry.registerMetric(metric as unknown as Metric);
}

const WAITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** How a node of a cluster keeps up with what the others take away. */
export class ControlMeter {
  /** Seconds that changes waited until all nodes had handled them. */
  readonly waits = new Distribution(WAITS);
  /** Changes that all nodes had handled when they were answered. */
  confirmed = 0;
  /** Changes that were answered although a node had not confirmed. */
  unconfirmed = 0;
  /** Requests, commands and commits refused because the node did not trust its memory. */
  refusals = 0;
  /** Monotonic time at which the last good reading of the control log began; null: there was none. */
  readAt: number | null = null;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds since the last good reading began; null on a lone server. */
  get age(): number | null {
    return this.readAt === null ? null : (this.#clock.monotonic() - this.readAt) / 1_000;
  }

  /** Notes how long a change waited for the confirmations. */
  waited(seconds: number, isConfirmed: boolean): void {
    this.waits.add(seconds);
    if (isConfirmed) this.confirmed += 1;
    else this.unconfirmed += 1;
  }
}
