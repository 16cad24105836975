import { sql } from "kysely";
import type { AppContext } from "../context.ts";
import { type WriteProblem, writeHealth } from "../db/write-health.ts";
import { fail } from "../errors.ts";
import { lifecycle } from "../http/connections/lifecycle.ts";
import { CONTROL_TOPIC } from "../realtime/topics.ts";

/** A server whose database takes longer should receive no traffic. */
const PATIENCE_MS = 2_000;

/** A node without a heartbeat for longer receives no traffic; the other nodes consider it dead after 15 s. */
const HEARTBEAT_MS = 5_000;

/**
 * `degraded`: the server serves, but Redis does not carry everything between the nodes now, so that messages of other
 * nodes come up to two seconds late.
 */
export type Readiness = "ready" | "degraded";

/**
 * Returns how well the server can serve. Throws while it starts or stops, while its database does not answer or takes
 * no writes, and while a node of a cluster has no heartbeat; `details.reason` says which.
 * @throws draining, not_ready
 */
export async function requireReady(ctx: AppContext): Promise<Readiness> {
  const { state } = lifecycle(ctx);
  if (state === "draining") throw fail("draining", { retryAfter: 5 });
  const reason = state === "starting" ? state : (nodeProblem(ctx) ?? (await inTime(databaseProblem(ctx))));
  if (reason !== null) throw fail("not_ready", { retryAfter: 2, details: { reason } });
  return ctx.cluster !== null && ctx.broker.isDoubtful(CONTROL_TOPIC) ? "degraded" : "ready";
}

const nodeProblem = ({ cluster }: AppContext): "no_heartbeat" | null =>
  cluster !== null && cluster.heartbeatAgeMs > HEARTBEAT_MS ? "no_heartbeat" : null;

async function databaseProblem(ctx: AppContext): Promise<WriteProblem | null> {
  try {
    await sql`select 1`.execute(ctx.db);
  } catch (error) {
    ctx.log.warn({ err: error }, "the database does not respond");
    return "storage_unavailable";
  }
  return writeHealth(ctx).problem();
}

async function inTime(problem: Promise<WriteProblem | null>): Promise<WriteProblem | null> {
  const { promise: late, resolve } = Promise.withResolvers<WriteProblem>();
  const timer = setTimeout(resolve, PATIENCE_MS, "storage_unavailable");
  try {
    return await Promise.race([problem, late]);
  } finally {
    clearTimeout(timer);
  }
}
