import type { InboxItem } from "@parley/protocol/inbox";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { beforeCommit } from "../../db/transact.ts";
import { type ItemRow, insertItems } from "../inbox/inbox-rows.ts";
import { noticeFrame, publishItem } from "../inbox/item-frames.ts";
import { menuItems } from "../menus/items.ts";
import { interactionRecord, resultOf } from "./interaction-record.ts";
import { findInteraction, findPress, type InteractionRow, type PressRow, pressesOf } from "./interactions.store.ts";
import { receiptOf, type StoredReceipt } from "./receipts.ts";

/** The stored part of an item: it names nobody, so that it stays true when an account is erased. */
interface StoredItem {
  channel_slug: string;
  interaction_id: number;
  /** The press that a `press` reports. */
  press_id: number | null;
}

/**
 * Puts a press or a decision into the inbox of the agent that asked, at the end of the caller's transaction, and publishes
 * it after the commit. The item belongs to no message: it stays when the message is deleted.
 */
export function addCardItem(
  ctx: AppContext,
  { row, presses, channelSlug, press }: CardFacts & { channelSlug: string; press: PressRow | null },
): void {
  beforeCommit(ctx.db, async () => {
    const kind = row.status === "open" ? ("press" as const) : ("decision" as const);
    const stored: StoredItem = {
      channel_slug: channelSlug,
      interaction_id: row.message_id,
      press_id: kind === "press" ? (press?.id ?? null) : null,
    };
    const item = {
      agent_id: row.agent_id,
      agent_name: row.agent_name,
      channel_id: row.channel_id,
      message_id: 0,
      kind,
      notice: JSON.stringify(stored),
      created_at: ctx.clock.now(),
    };
    const [id = 0] = await insertItems(ctx.db, [item]);
    const record = itemRecord({ ...item, id }, stored, { row, presses, press: kind === "press" ? press : null });
    ctx.afterCommit(() => publishItem(ctx.root, row.agent_id, noticeFrame(record)));
  });
}

/** An interaction with its presses. */
export interface CardFacts {
  row: InteractionRow;
  presses: readonly PressRow[];
}

/** Returns the items of the kinds `press` and `decision` among these, by their ids, unless their interaction is forgotten. */
export async function cardItems(ctx: AppContext, items: readonly ItemRow[]): Promise<Map<number, InboxItem>> {
  const found = await menuItems(ctx, items);
  const known = new Map<number, CardFacts>();
  for (const item of items) {
    if ((item.kind !== "press" && item.kind !== "decision") || found.has(item.id)) continue;
    const stored = JSON.parse(item.notice ?? "{}") as StoredItem;
    const facts = known.get(stored.interaction_id) ?? (await factsOf(ctx, stored.interaction_id));
    if (facts === null) continue;
    known.set(stored.interaction_id, facts);
    const press = stored.press_id === null ? null : ((await findPress(ctx.db, stored.press_id)) ?? null);
    found.set(item.id, itemRecord(item, stored, { ...facts, press }));
  }
  return found;
}

async function factsOf(ctx: AppContext, id: number): Promise<CardFacts | null> {
  const row = await findInteraction(ctx.db, id);
  return row === undefined ? null : { row, presses: await pressesOf(ctx.db, row) };
}

function itemRecord(
  item: Omit<ItemRow, "removed_at">,
  { channel_slug }: StoredItem,
  { row, presses, press }: CardFacts & { press: PressRow | null },
): InboxItem {
  const record = interactionRecord(row, presses);
  const receipt = item.kind === "decision" && row.receipt !== null ? (JSON.parse(row.receipt) as StoredReceipt) : null;
  return {
    item_id: item.id,
    kind: item.kind,
    channel_id: item.channel_id,
    channel_slug,
    agent_name: item.agent_name,
    created_at: isoTime(item.created_at),
    chat_message: null,
    interaction: press === null ? record : { ...record, result: resultOf(press) },
    ...(receipt === null ? {} : { receipt: receiptOf(receipt) }),
    notice: null,
  };
}
