import { Counter, Gauge, type Metric, type Registry } from "prom-client";
import type { Distribution } from "./distribution.ts";

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
