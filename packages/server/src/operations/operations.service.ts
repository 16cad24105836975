import { sql } from "kysely";
import type { AppContext } from "../context.ts";
import { type WriteProblem, writeHealth } from "../db/write-health.ts";
import { fail } from "../errors.ts";
import { lifecycle } from "../http/connections/lifecycle.ts";

/** A server whose database takes longer should receive no traffic. */
const PATIENCE_MS = 2_000;

/**
 * Throws while the server starts or stops, and while its database does not answer or takes no writes; `details.reason`
 * says which.
 * @throws draining, not_ready
 */
export async function requireReady(ctx: AppContext): Promise<void> {
  const { state } = lifecycle(ctx);
  if (state === "draining") throw fail("draining", { retryAfter: 5 });
  const reason = state === "starting" ? state : await inTime(databaseProblem(ctx));
  if (reason !== null) throw fail("not_ready", { retryAfter: 2, details: { reason } });
}

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
