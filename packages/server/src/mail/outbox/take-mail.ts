import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { KINDS } from "../kinds/kinds.ts";
import { isDropped, type Letter } from "../letter.ts";
import { takeAllowance } from "./allowance.ts";
import * as store from "./outbox.store.ts";

/** Longer than a mail may take. After a crash another try begins then, unless the mail server may have the mail. */
const CLAIM_MS = 180_000;

/** A mail that this node has claimed, and its letter. */
export interface TakenMail {
  row: store.MailRow;
  letter: Letter;
}

/**
 * Claims a mail and makes its letter, with the rights of this moment, in one transaction. Returns null if another node
 * has it, or if it is not to be sent, which is then noted.
 */
export async function takeMail(ctx: AppContext, id: number): Promise<TakenMail | null> {
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const row = await store.claimMail(ctx.db, id, { now, until: now + CLAIM_MS });
    if (row === null) return null;
    const kind = KINDS[row.kind];
    if (row.expires_at <= now) return ended(ctx, row, "expired", row.reason ?? "no mail server took it in time");
    if (row.epoch !== ctx.epoch) return ended(ctx, row, "dropped", "restored");
    const letter = await kind.compose(ctx, {
      id,
      tries: row.tries,
      userId: row.user_id,
      address: row.address,
      parameters: JSON.parse(row.parameters) as Record<string, unknown>,
      createdAt: row.created_at,
    });
    if (isDropped(letter)) {
      if (kind.forgetsDropped !== true) return ended(ctx, row, "dropped", letter.dropped);
      await store.deleteMail(ctx.db, row);
      return null;
    }
    const refusal = await takeAllowance(ctx, letter.to, {
      isLimited: kind.isLimited === true,
      revives: kind.revives === true,
      isCounted: row.tries > 1,
    });
    if (refusal !== null) return ended(ctx, row, "dropped", refusal);
    return { row, letter };
  });
}

async function ended(ctx: AppContext, row: store.MailRow, state: "expired" | "dropped", reason: string): Promise<null> {
  await store.endMail(ctx.db, row, { state, reason, now: ctx.clock.now() });
  return null;
}
