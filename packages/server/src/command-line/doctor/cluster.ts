import { counted } from "../../base/counted.ts";
import { type Clock, systemClock } from "../../clock.ts";
import { type InspectedNode, inspectNodes, readDatabaseTime } from "../../cluster/inspect.ts";
import type { Config } from "../../config/config.ts";
import { type DatabaseFacts, isReadable } from "../../db/inspect.ts";
import { type Connections, connectionProblem, readConnections } from "../../db/postgres/connections.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import type { Finding } from "../../module.ts";
import { inspectRedis, type RedisReport } from "../../redis/inspect.ts";

/** A larger difference is reported; a node warns of it, too. */
const SKEW_MS = 2_000;

/** What was read about the nodes that use a database. */
export interface ClusterFacts {
  nodes: readonly InspectedNode[];
  connections: Connections;
  /** How far this machine's clock is ahead of the database's, in milliseconds. */
  aheadMs: number;
}

/** Checks the nodes, their leases, the clock and PostgreSQL's limit of connections. Skips SQLite, which has no nodes. */
export async function checkCluster(
  config: Config,
  facts: DatabaseFacts | Error | null,
  clock: Clock = systemClock,
): Promise<Finding[]> {
  if (config.database.kind === "sqlite" || !isReadable(facts)) return [];
  const found = await readSnapshot(config.database, clock, async (db): Promise<ClusterFacts> => {
    const [before, databaseNow, after] = [clock.now(), await readDatabaseTime(db), clock.now()];
    const aheadMs = Math.round((before + after) / 2 - databaseNow);
    return { nodes: await inspectNodes(db), connections: await readConnections(db), aheadMs };
  });
  return [...judgeNodes(config, found), judgeClock(found), judgeConnections(config, found)];
}

/** Judges the nodes of a database. Nothing is said about a lone server. */
export function judgeNodes(
  { redisUrls }: Pick<Config, "redisUrls">,
  { nodes }: Pick<ClusterFacts, "nodes">,
): Finding[] {
  const finding = (state: Finding["state"], text: string): Finding => ({ check: "nodes", state, text });
  const live = nodes.filter(({ isLive }) => isLive);
  if (redisUrls.length === 0) {
    if (live.length === 0) return [];
    const names = live.map(({ name }) => name).join(", ");
    return [
      finding(
        "problem",
        `this server has no REDIS_URL, and the nodes of a cluster use its database (${names}); set it`,
      ),
    ];
  }
  if (live.length === 0) return [finding("ok", "none is running")];
  const found = [finding("ok", `${live.length} running: ${live.map(describe).join("; ")}`)];
  const lists = new Set(live.map(({ shards }) => shards));
  if (lists.size > 1) {
    const text = `they do not use the same Redis servers (${[...lists].join(" | ")}); give all of them the same REDIS_URL`;
    found.push(finding("problem", text));
  }
  for (const { name, doubt } of live) {
    if (doubt === null) continue;
    const text = `${name} does not trust the bus and reads other nodes' events from the database, up to 2 s late (${doubt})`;
    found.push(finding("problem", text));
  }
  const silent = nodes.filter(({ isLive }) => !isLive);
  if (silent.length > 0) {
    const names = silent.map(({ name, silentMs }) => `${name} for ${Math.round(silentMs / 1000)} s`).join(", ");
    found.push(finding("advice", `silent: ${names}; if a node should run, read its log`));
  }
  return found;
}

const describe = ({ name, version, state, leases }: InspectedNode): string =>
  `${name} (${version}, ${state}, ${counted(leases, "lease")})`;

export function judgeClock({ aheadMs }: Pick<ClusterFacts, "aheadMs">): Finding {
  const check = "clock";
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  const text = `this machine is ${seconds} s ${aheadMs < 0 ? "behind" : "ahead of"} the database`;
  return Math.abs(aheadMs) < SKEW_MS
    ? { check, state: "ok", text }
    : { check, state: "advice", text: `${text}; synchronize both, for example with chrony` };
}

export function judgeConnections(
  { redisUrls, postgresPool }: Pick<Config, "redisUrls" | "postgresPool">,
  { nodes, connections }: Pick<ClusterFacts, "nodes" | "connections">,
): Finding {
  const check = "connections";
  const servers = redisUrls.length === 0 ? 1 : Math.max(1, nodes.filter(({ isLive }) => isLive).length);
  const problem = connectionProblem(servers, postgresPool, connections);
  if (problem !== null) return { check, state: "advice", text: problem };
  const { open, limit } = connections;
  return { check, state: "ok", text: `${open} of ${limit} are open; ${servers * (postgresPool + 1)} may be used here` };
}

/** Slower answers delay every message between nodes. */
const SLOW_MS = 50;

/** Checks each Redis server of a cluster: whether it answers, how fast, and whether its settings fit. */
export async function checkRedis({ redisUrls }: Config): Promise<Finding[]> {
  const reports = await Promise.all(redisUrls.map((url) => inspectRedis(url)));
  return reports.map((report) => ({ check: `Redis ${report.name}`, ...findingOf(report) }));
}

function findingOf({ facts, problem }: RedisReport): Omit<Finding, "check"> {
  if (problem !== null) return { state: "problem", text: problem.text };
  if (facts === null) {
    const text =
      "works, but its user may not run INFO, so its settings are unknown; check that maxmemory-policy is noeviction";
    return { state: "advice", text };
  }
  const text = `${facts.software}, a primary, answers in ${facts.latencyMs.toFixed(1)} ms`;
  if (facts.latencyMs <= SLOW_MS) return { state: "ok", text };
  return { state: "advice", text: `${text}; place it closer to the nodes` };
}
