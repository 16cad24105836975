import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { conclude, DUE_MS, type Held, step, withAuthorization } from "./settle.ts";
import { dueSettlements, moveSettlement, releaseSettlement, type SettlementRow } from "./settlements.store.ts";

const PASS_MAX = 20;

/**
 * Rechecks up to 20 due settlements, after a crash or when their payer does not return. Only queries the chain; sends
 * nothing.
 */
export async function recheckSettlements(ctx: AppContext): Promise<void> {
  for (const row of await dueSettlements(ctx.db, ctx.clock.now(), PASS_MAX)) {
    await withAuthorization(ctx, row, () => recheck(ctx, row));
  }
}

async function recheck(ctx: AppContext, row: SettlementRow): Promise<void> {
  if (row.state === "reserved") return void (await releaseSettlement(ctx.db, row));
  const held: Held = { row };
  try {
    await step(ctx, held, { due_at: ctx.clock.now() + DUE_MS });
    await conclude(ctx, held, { waitMs: 0 });
    ctx.metrics.paymentPresented("granted");
  } catch (error) {
    if (!(error instanceof AppError)) {
      ctx.log.error({ err: error, settlementId: row.id }, "checking the outcome of a signed payment failed");
    }
    if (error instanceof AppError && held.row.state === "refused") ctx.metrics.paymentPresented(error.code);
    else await moveSettlement(ctx.db, held.row, { lease_until: ctx.clock.now() });
  }
}
