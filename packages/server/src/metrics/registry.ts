import { Counter, Gauge, type Metric, Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import type { DiskSpace } from "./disk.ts";
import type { Distribution } from "./distribution.ts";
import type { Numbers } from "./numbers.ts";

type Labels = Record<string, string>;
type Sample = readonly [labels: Labels, value: number];

/** Creates a registry whose metrics read the numbers at each scrape. */
export function createRegistry(numbers: Numbers, clock: Clock): Registry {
  const registry = new Registry();
  requests(registry, numbers);
  messages(registry, numbers);
  sockets(registry, numbers);
  counters(
    registry,
    "parley_rate_limit_refusals_total",
    "Requests and commands refused by a rate limit.",
    ["policy"],
    () => [...numbers.refusals].map(([policy, count]) => [{ policy }, count]),
  );
  gauge(
    registry,
    "parley_password_hash_queue",
    "Password hashes that are waiting or running.",
    () => numbers.hashQueue,
  );
  gauge(registry, "parley_picture_queue", "Pictures that are waiting or being decoded.", () => numbers.pictureQueue);
  gauge(registry, "parley_code_pool", "Verification codes in stock.", () => numbers.codePool);
  gauge(registry, "parley_search_lag_messages", "Messages and events that are not in the search index yet.", () =>
    numbers.searchLag(),
  );
  chains(registry, numbers);
  counters(registry, "parley_payments_total", "Proofs of payment, by outcome.", ["outcome"], () =>
    [...numbers.payments].map(([outcome, count]) => [{ outcome }, count]),
  );
  payouts(registry, numbers, clock);
  machine(registry, numbers, clock);
  return registry;
}

function requests(registry: Registry, { routes }: Numbers): void {
  counters(registry, "parley_http_requests_total", "Requests served.", ["method", "route", "status"], () =>
    routes.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, count]): Sample => [{ method, route, status: String(status) }, count]),
    ),
  );
  histogram(registry, "parley_http_request_duration_seconds", "Time from request to response.", () =>
    routes.map(({ method, route, durations }) => [{ method, route }, durations]),
  );
}

function messages(registry: Registry, numbers: Numbers): void {
  const kept = "Bytes of recent messages and events that channels keep in memory.";
  gauge(registry, "parley_feed_memory_bytes", kept, () => numbers.feedMemory());
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

function chains(registry: Registry, numbers: Numbers): void {
  const name = "parley_chain_server_failures_total";
  counters(registry, name, "Calls to a chain's server without a usable response.", ["server", "reason"], () =>
    [...numbers.chainFailures].map(([key, count]) => {
      const [server = "", reason = ""] = key.split(" ");
      return [{ server, reason }, count];
    }),
  );
  counter(registry, "parley_chain_disagreements_total", "Queries for which a chain's servers had no majority.", () => {
    return numbers.chainDisagreements;
  });
}

function payouts(registry: Registry, numbers: Numbers, clock: Clock): void {
  gauge(registry, "parley_payouts_open", "Payouts that are not final yet.", () => numbers.payouts.open);
  gauge(registry, "parley_payouts_failed", "Payouts that failed and were not retried.", () => numbers.payouts.failed);
  gauge(
    registry,
    "parley_payouts_mismatches",
    "Differences found in the last comparison with the ledger and wallets.",
    () => {
      return numbers.payoutMismatches;
    },
  );
  gauge(registry, "parley_payouts_oldest_seconds", "Age of the oldest open payout.", () => {
    const { oldest } = numbers.payouts;
    return oldest === null ? 0 : Math.max(0, clock.now() - oldest) / 1000;
  });
  const held = () => [...numbers.treasury].map(([asset, { balance }]): Sample => [{ asset }, balance]);
  gauges(registry, "parley_treasury_balance", "Balance of the treasury, in whole units.", ["asset"], held);
  const low = () => [...numbers.treasury].map(([asset, { isLow }]): Sample => [{ asset }, isLow ? 1 : 0]);
  gauges(registry, "parley_treasury_low", "1: the treasury has less than its reserve.", ["asset"], low);
}

function machine(registry: Registry, numbers: Numbers, clock: Clock): void {
  gauge(registry, "parley_event_loop_lag_seconds", "Longest delay of the event loop since the last scrape.", () => {
    const { lag } = numbers;
    numbers.lag = 0;
    return lag;
  });
  const ofDisk = (part: keyof DiskSpace) => (): Sample[] => {
    const disk = numbers.disk();
    return disk === null ? [] : [[{}, disk[part]]];
  };
  gauges(registry, "parley_disk_free_bytes", "Free space on the disk of the SQLite database.", [], ofDisk("free"));
  gauges(registry, "parley_disk_size_bytes", "Size of the disk of the SQLite database.", [], ofDisk("size"));
  const files = (part: "open" | "limit") => (): Sample[] =>
    numbers.openFiles === null ? [] : [[{}, numbers.openFiles[part]]];
  gauges(registry, "process_open_fds", "Open file descriptors.", [], files("open"));
  gauges(registry, "process_max_fds", "Limit of open file descriptors.", [], files("limit"));
  gauge(registry, "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge(registry, "process_start_time_seconds", "Start time of the process, in epoch seconds.", () =>
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

function gauges(registry: Registry, name: string, help: string, labelNames: string[], read: () => Sample[]): void {
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
  // The registry only uses `name` and `get()` of a metric; its type accepts only the library's classes.
  registry.registerMetric(metric as unknown as Metric);
}
