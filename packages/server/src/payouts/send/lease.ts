import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { dropLease, keepLease, type LeaseRow, readLease, takeLease } from "./lease.store.ts";

/**
 * Milliseconds after which a silent holder counts as dead. Its later writes are refused, so this value affects only how
 * soon another server takes over.
 */
export const LEASE_MS = 15_000;

/** Another server makes the payouts now. Nothing that was begun may be written any more. */
export class LeaseLost extends Error {
  constructor() {
    super("another server makes the payouts now");
    this.name = "LeaseLost";
  }
}

/** Why nothing is signed or sent. */
export type Halt = "off" | "stopped" | "restored";

/**
 * Returns why payouts are halted: by the setting, by the operator, or because the database was restored and may not
 * know of transfers made since the backup (guarantees P13). null: they run.
 */
export function haltOf(
  ctx: Pick<AppContext, "config" | "epoch">,
  row: Pick<LeaseRow, "stopped_at" | "epoch">,
): Halt | null {
  if (ctx.config.payouts === "off") return "off";
  if (row.stopped_at !== null) return "stopped";
  return row.epoch === ctx.epoch ? null : "restored";
}

/**
 * The right to make payouts. One server holds it, with a fencing number that grows with each holder. Every write checks
 * that number in its own transaction, so a server that was paused and wakes up late writes nothing (guarantees P13).
 */
export class Lease {
  readonly fence: number;

  constructor(fence: number) {
    this.fence = fence;
  }

  /** Takes the lease. Returns null if another server holds it. */
  static async take(ctx: AppContext, holder: string): Promise<Lease | null> {
    const now = ctx.clock.now();
    const found = await readLease(ctx.db);
    // A clock that was wrong must not lock everybody out.
    const free = found.holder === null || found.until <= now || found.until > now + 10 * LEASE_MS;
    if (!free) return null;
    const taken = await takeLease(ctx.db, found, holder, Math.max(now, found.until), now + LEASE_MS);
    return taken ? new Lease(found.fence + 1) : null;
  }

  /** Extends the lease: a heartbeat of the holder. @throws LeaseLost */
  async keep(ctx: AppContext): Promise<void> {
    if (!(await keepLease(ctx.db, this.fence, ctx.clock.now() + LEASE_MS))) throw new LeaseLost();
  }

  /** Runs a transaction that commits only if this server still holds the lease. @throws LeaseLost */
  write<T>(ctx: AppContext, act: (ctx: AppContext) => Promise<T>): Promise<T> {
    return transact(ctx, async (ctx) => {
      await this.keep(ctx);
      return act(ctx);
    });
  }

  async drop(ctx: AppContext): Promise<void> {
    await dropLease(ctx.db, this.fence);
  }
}
