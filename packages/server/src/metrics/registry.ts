import { Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import type { DiskSpace } from "./disk.ts";
import { type ControlMeter, counter, counters, gauge, gauges, histogram, type Sample } from "./instruments.ts";
import { mailMetrics } from "./mail.ts";
import type { BackupNumbers, BusShardNumbers, ClusterNumbers, Numbers } from "./numbers.ts";

/** Creates a registry whose metrics read the numbers at each scrape. */
export function createRegistry(numbers: Numbers, meter: ControlMeter, clock: Clock): Registry {
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
  files(registry, numbers);
  gauge(registry, "parley_code_pool", "Verification codes in stock.", () => numbers.codePool);
  gauge(registry, "parley_search_lag_messages", "Messages and events that are not in the search index yet.", () =>
    numbers.searchLag(),
  );
  chains(registry, numbers);
  counters(registry, "parley_payments_total", "Proofs of payment, by outcome.", ["outcome"], () =>
    [...numbers.payments].map(([outcome, count]) => [{ outcome }, count]),
  );
  payouts(registry, numbers, clock);
  cluster(registry, numbers);
  control(registry, meter);
  bus(registry, numbers);
  backups(registry, numbers);
  mailMetrics(registry, numbers);
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
  const feeds = (part: keyof Numbers["feeds"]) => () => numbers.feeds[part];
  counter(registry, "parley_feed_early_events_total", "Events that arrived before their predecessors.", feeds("early"));
  counter(registry, "parley_feed_gap_repairs_total", "Gaps between events, read from the database.", feeds("gaps"));
  const tails = "Newest events that did not arrive, read from the database.";
  counter(registry, "parley_feed_tail_repairs_total", tails, feeds("tails"));
  counter(registry, "parley_messages_appended_total", "Messages committed.", () => numbers.messages);
  histogram(registry, "parley_commit_duration_seconds", "Commits of the append queue.", () => [[{}, numbers.commits]]);
  histogram(registry, "parley_commit_batch_messages", "Messages per commit of the append queue.", () => [
    [{}, numbers.batches],
  ]);
}

function files(registry: Registry, { files }: Numbers): void {
  counter(registry, "parley_file_uploads_total", "Files uploaded and kept.", () => files.uploads);
  counter(registry, "parley_file_upload_bytes_total", "Bytes of the files uploaded and kept.", () => files.bytes);
  counters(registry, "parley_file_refusals_total", "Uploads of files that were refused, by error code.", ["code"], () =>
    [...files.refused].map(([code, count]) => [{ code }, count]),
  );
}

function sockets(registry: Registry, numbers: Numbers): void {
  gauge(registry, "parley_sockets_open", "Open WebSockets.", () => numbers.sockets);
  counter(registry, "parley_frames_sent_total", "Frames handed to sockets.", () => numbers.frames);
  counter(registry, "parley_slow_readers_closed_total", "Sockets closed because they read too slowly.", () => {
    return numbers.slowReaders;
  });
}

function control(registry: Registry, meter: ControlMeter): void {
  const age = "Seconds since this node last began to read the control log; 0 on a lone server.";
  gauge(registry, "parley_control_age_seconds", age, () => meter.age ?? 0);
  const refused = "Requests, commands and commits refused because the node had not read the control log lately.";
  counter(registry, "parley_trust_refusals_total", refused, () => meter.refusals);
  const waits = "Time a change waited until all nodes had handled it.";
  histogram(registry, "parley_control_confirmation_seconds", waits, () => [[{}, meter.waits]]);
  const silent = "Changes answered although a node had not confirmed them.";
  counter(registry, "parley_control_unconfirmed_total", silent, () => meter.unconfirmed);
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

function cluster(registry: Registry, numbers: Numbers): void {
  const read = (value: (of: ClusterNumbers) => number) => (): Sample[] => {
    const found = numbers.cluster();
    return found === null ? [] : [[{}, value(found)]];
  };
  const info = (): Sample[] => {
    const found = numbers.cluster();
    return found === null ? [] : [[{ id: found.id, name: found.name }, 1]];
  };
  gauges(registry, "parley_cluster_node_info", "1: the node that answers.", ["id", "name"], info);
  const add = (name: string, help: string, value: (of: ClusterNumbers) => number) =>
    gauges(registry, name, help, [], read(value));
  add("parley_cluster_nodes", "Live nodes, as this node sees them.", ({ nodes }) => nodes);
  add("parley_cluster_leases", "Leases that this node holds: work that one node does.", ({ leases }) => leases);
  add(
    "parley_cluster_clock_skew_seconds",
    "How far this node's clock is ahead of the database's.",
    (of) => of.clockSkewMs / 1000,
  );
  add(
    "parley_cluster_heartbeat_age_seconds",
    "Time since the last good heartbeat of this node.",
    (of) => of.heartbeatAgeMs / 1000,
  );
}

function bus(registry: Registry, numbers: Numbers): void {
  const read = (value: (of: BusShardNumbers) => number) => (): Sample[] =>
    (numbers.bus()?.shards ?? []).map((of) => [{ redis: of.redis }, value(of)]);
  const count = (name: string, help: string, value: (of: BusShardNumbers) => number) =>
    counters(registry, name, help, ["redis"], read(value));
  const state = "0: not connected to this Redis server; 1: connected, but publications may be lost; 2: good.";
  gauges(
    registry,
    "parley_bus_state",
    state,
    ["redis"],
    read(({ state }) => state),
  );
  count("parley_bus_published_total", "Publications to other nodes.", ({ published }) => published);
  count(
    "parley_bus_published_bytes_total",
    "Bytes of publications to other nodes.",
    ({ publishedBytes }) => publishedBytes,
  );
  count("parley_bus_received_total", "Publications of other nodes that arrived.", ({ received }) => received);
  count(
    "parley_bus_received_bytes_total",
    "Bytes of publications of other nodes.",
    ({ receivedBytes }) => receivedBytes,
  );
  count(
    "parley_bus_dropped_total",
    "Publications without a connection or room; other nodes read the database.",
    (of) => of.dropped,
  );
  count("parley_bus_reconnects_total", "Connections to Redis that were replaced.", ({ reconnects }) => reconnects);
  counters(registry, "parley_bus_foreign_total", "Publications that no node of this cluster made.", [], () => {
    const found = numbers.bus();
    return found === null ? [] : [[{}, found.foreign]];
  });
}

function backups(registry: Registry, numbers: Numbers): void {
  const of = (part: keyof BackupNumbers) => (): Sample[] => {
    const value = numbers.backups()?.[part] ?? null;
    return value === null ? [] : [[{}, value]];
  };
  const age = "Age of the newest verified scheduled backup; without one, the time since the start of the server.";
  gauges(registry, "parley_backup_age_seconds", age, [], of("ageSeconds"));
  gauges(registry, "parley_backup_bytes", "Size of the newest scheduled backup.", [], of("bytes"));
  const seconds = "How long the last scheduled backup took, with its check.";
  gauges(registry, "parley_backup_duration_seconds", seconds, [], of("seconds"));
  counters(
    registry,
    "parley_backup_failures_total",
    "Scheduled backups that failed, of the database or of files.",
    [],
    of("failures"),
  );
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
