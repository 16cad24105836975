import type { Receipt } from "@parley/protocol/card-calls";
import type { Interaction } from "@parley/protocol/cards";
import type { AppContext } from "../../context.ts";
import { interactionRecord } from "./interaction-record.ts";
import { type InteractionRow, pressesOf } from "./interactions.store.ts";
import { receiptOf, type StoredReceipt } from "./receipts.ts";

/** Returns an interaction with its receipt, if it has ended. */
export async function cardState(
  ctx: AppContext,
  row: InteractionRow,
): Promise<{ interaction: Interaction; receipt: Receipt | null }> {
  const interaction = interactionRecord(row, await pressesOf(ctx.db, row));
  return { interaction, receipt: row.receipt === null ? null : receiptOf(JSON.parse(row.receipt) as StoredReceipt) };
}
