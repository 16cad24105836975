import type { Config } from "../../config/config.ts";
import type { Finding } from "../../module.ts";
import { inspectRedis, type RedisReport } from "../../redis/inspect.ts";

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
