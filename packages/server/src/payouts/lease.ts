import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { dropLease, keepLease, type LeaseRow, readLease, takeLease } from "./lease.store.ts";

/** A holder that is not heard of for so long is believed dead. What it writes later is refused, so this decides over time only. */
export const LEASE_MS = 15_000;

/** Somebody else makes the payouts now. Nothing of what was begun may be written any more. */
export class LeaseLost extends Error {
  constructor() {
    super("another server makes the payouts now");
    this.name = "LeaseLost";
  }
}

/** Why nothing is signed and nothing is sent; null: it is. */
export type Halt = "off" | "stopped" | "restored";

/**
 * Why payouts stand still: by the setting, by the operator's word, or because the database was restored, so that it may not know of transfers
 * which were made since the backup (guarantees P13).
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
 * The right to make payouts: one server has it, with a number that grows with each holder. Every write checks that number in its own
 * transaction, so a server that was paused and wakes up late writes nothing (guarantees P13).
 */
export class Lease {
  readonly fence: number;

  constructor(fence: number) {
    this.fence = fence;
  }

  /** null: another server has it. */
  static async take(ctx: AppContext, holder: string): Promise<Lease | null> {
    const now = ctx.clock.now();
    const found = await readLease(ctx.db);
    // A clock that was wrong must not lock everybody out.
    const free = found.holder === null || found.until <= now || found.until > now + 10 * LEASE_MS;
    if (!free) return null;
    const taken = await takeLease(ctx.db, found, holder, Math.max(now, found.until), now + LEASE_MS);
    return taken ? new Lease(found.fence + 1) : null;
  }

  /** Says that the holder lives. @throws LeaseLost */
  async keep(ctx: AppContext): Promise<void> {
    if (!(await keepLease(ctx.db, this.fence, ctx.clock.now() + LEASE_MS))) throw new LeaseLost();
  }

  /** One transaction that is the holder's, or nothing. @throws LeaseLost */
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
