import type { AuditActor } from "../audit/audit.ts";
import { audit } from "../audit/audit.ts";
import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { readEpoch } from "../db/database.ts";
import type { Db } from "../db/db.ts";
import { transact } from "../db/transact.ts";
import { countPayouts } from "./payouts.store.ts";
import { readLease, setStopped } from "./send/lease.store.ts";
import { type Halt, haltOf } from "./send/lease.ts";

/** Stops all payouts: within a second no server signs or sends any more. Sent transfers are still tracked. */
export function stopPayouts(ctx: AppContext, actor: AuditActor): Promise<void> {
  return transact(ctx, async (ctx) => {
    const by = actor === "command line" ? actor : actor.username;
    await setStopped(ctx.db, { at: ctx.clock.now(), by }, ctx.epoch);
    await audit(ctx, actor, "payouts_stop", "payouts:all");
  });
}

/** Resumes payouts after a stop or a restore. */
export function resumePayouts(ctx: AppContext, actor: AuditActor): Promise<void> {
  return transact(ctx, async (ctx) => {
    await setStopped(ctx.db, null, ctx.epoch);
    await audit(ctx, actor, "payouts_resume", "payouts:all");
  });
}

/** Returns why payouts are halted; null: they run. */
export async function payoutsHalt(ctx: AppContext): Promise<Halt | null> {
  return haltOf(ctx, await readLease(ctx.db));
}

/** Returns the state of payouts for callers outside a running server. */
export async function payoutFigures(
  db: Db,
  config: Config,
): Promise<{ open: number; oldest: number | null; failed: number; halt: Halt | null }> {
  const ctx = { config, epoch: await readEpoch(db) };
  return { ...(await countPayouts(db)), halt: haltOf(ctx, await readLease(db)) };
}
