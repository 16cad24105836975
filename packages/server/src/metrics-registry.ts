import { Counter, Gauge, type Metric, Registry } from "prom-client";
import type { Clock } from "./clock.ts";
import type { Numbers } from "./metrics.ts";
import type { Distribution } from "./metrics-distribution.ts";

type Labels = Record<string, string>;
type Sample = readonly [labels: Labels, value: number];

/** A registry whose metrics read the numbers at each scrape. */
export function createRegistry(numbers: Numbers, clock: Clock): Registry {
  const registry = new Registry();
  requests(registry, numbers);
  messages(registry, numbers);
  sockets(registry, numbers);
  counters(registry, "parley_rate_limit_refusals_total", "Acts refused by a rate limit.", ["policy"], () =>
    [...numbers.refusals].map(([policy, count]) => [{ policy }, count]),
  );
  gauge(registry, "parley_password_hash_queue", "Password hashes that wait or are under way.", () => numbers.hashQueue);
  machine(registry, numbers, clock);
  return registry;
}

function requests(registry: Registry, { routes }: Numbers): void {
  counters(registry, "parley_http_requests_total", "Requests answered.", ["method", "route", "status"], () =>
    routes.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, count]): Sample => [{ method, route, status: String(status) }, count]),
    ),
  );
  histogram(registry, "parley_http_request_duration_seconds", "From request to answer.", () =>
    routes.map(({ method, route, durations }) => [{ method, route }, durations]),
  );
}

function messages(registry: Registry, numbers: Numbers): void {
  counter(registry, "parley_messages_appended_total", "Messages committed.", () => numbers.messages);
  histogram(registry, "parley_commit_duration_seconds", "Commits of the append queue.", () => [[{}, numbers.commits]]);
  histogram(registry, "parley_commit_batch_messages", "Messages per commit of the append queue.", () => [
    [{}, numbers.batches],
  ]);
}

function sockets(registry: Registry, numbers: Numbers): void {
  gauge(registry, "parley_sockets_open", "Open WebSockets.", () => numbers.sockets);
  counter(registry, "parley_frames_sent_total", "Frames handed to sockets.", () => numbers.frames);
  counter(registry, "parley_slow_readers_closed_total", "Sockets closed because they read too slowly.", () => {
    return numbers.slowReaders;
  });
}

function machine(registry: Registry, numbers: Numbers, clock: Clock): void {
  gauge(registry, "parley_event_loop_lag_seconds", "Longest delay of the event loop since the last scrape.", () => {
    const { lag } = numbers;
    numbers.lag = 0;
    return lag;
  });
  gauge(registry, "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge(registry, "process_start_time_seconds", "When the process started, in epoch seconds.", () =>
    Math.round(clock.now() / 1000 - process.uptime()),
  );
  counter(registry, "process_cpu_seconds_total", "User and system CPU time.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}

function counter(registry: Registry, name: string, help: string, read: () => number): void {
  counters(registry, name, help, [], () => [[{}, read()]]);
}

function counters(registry: Registry, name: string, help: string, labelNames: string[], read: () => Sample[]): void {
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

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

function histogram(
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
  // The registry asks a metric for `name` and `get()`; its type knows only the classes of the library.
  registry.registerMetric(metric as unknown as Metric);
}
