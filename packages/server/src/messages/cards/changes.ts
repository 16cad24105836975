import type { ApprovalRule, Interaction } from "@parley/protocol/cards";
import { type AuditAction, type AuditActor, audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { appendEvent } from "../../event-log/events.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type StoredCard, storedCard } from "../../event-log/stored-card.ts";
import { updateMessage } from "../messages.store.ts";
import { addCardItem } from "./card-items.ts";
import { decisionOf, interactionRecord, resultOf } from "./interaction-record.ts";
import {
  findInteraction,
  type InteractionRow,
  type PressRow,
  pressesOf,
  updateInteraction,
} from "./interactions.store.ts";
import { questionChanged } from "./question-hook.ts";
import { signDecision } from "./receipts.ts";

/** What happens to an open interaction. */
export interface Change {
  /** How it ends; null: it stays open. */
  end: { status: "decided" | "expired" | "cancelled"; pressId: number | null } | null;
  /** The press that caused the change. */
  press: PressRow | null;
  /** True if the press is a result, and not only a vote. */
  isResult?: boolean;
  /** The rule of the channel under which it was decided. */
  rule?: ApprovalRule | null;
  by: AuditActor;
  /** Why it is cancelled, for the audit log. */
  reason?: string | undefined;
}

/** Where an interaction is shown, as far as it still is. */
export interface Place {
  channelSlug: string;
  /** null: the channel is deleted, or the message is gone. */
  message: MessageRow | null;
}

const ACTS = { open: "card_press", decided: "card_decide", expired: "card_expire", cancelled: "card_cancel" } as const;

/**
 * Changes an open interaction in the caller's transaction, under the lock of its channel's row: its row, the card that the
 * message shows, the event of the channel, the item of the agent that asked and a line of the audit log change
 * together, so that a crash leaves all of them or none. Signs the receipt of an end. Returns the record; of an open
 * card with the press as its result.
 */
export async function changeInteraction(
  ctx: AppContext,
  before: InteractionRow,
  { end, press, isResult = false, by, reason, rule = null }: Change,
  { channelSlug, message }: Place,
): Promise<Interaction> {
  const presses = await pressesOf(ctx.db, before);
  const row = end === null ? before : await endedRow(ctx, before, presses, { ...end, rule });
  const record = interactionRecord(row, presses);
  const told = press === null || !isResult ? record : { ...record, result: resultOf(press) };
  if (message !== null) {
    const shown = await showOnMessage(ctx, message, record);
    const data = { message_id: row.message_id, interaction: told };
    await appendEvent(ctx, row.channel_id, "interaction:update", { data, message: { row: shown, channelSlug } });
  }
  const act: AuditAction = ACTS[row.status];
  await audit(ctx, by, act, `message:${row.message_id}`, {
    channel_id: row.channel_id,
    agent_id: row.agent_id,
    ...(press === null ? {} : { action_id: press.action_id }),
    ...(reason === undefined ? {} : { reason }),
  });
  if (end !== null && message !== null) await questionChanged(ctx, message);
  addCardItem(ctx, { row, presses, channelSlug, press });
  return told;
}

async function endedRow(
  ctx: AppContext,
  before: InteractionRow,
  presses: readonly PressRow[],
  { status, pressId, rule }: NonNullable<Change["end"]> & { rule: ApprovalRule | null },
): Promise<InteractionRow> {
  const ended = { ...before, status, result_press_id: pressId, decided_at: ctx.clock.now() };
  const receipt = JSON.stringify(await signDecision(ctx, decisionOf(interactionRecord(ended, presses), ended, rule)));
  const { result_press_id, decided_at } = ended;
  await updateInteraction(ctx.db, before.message_id, { status, result_press_id, decided_at, receipt });
  return { ...ended, receipt };
}

/** Writes the state into the card that the message shows. */
async function showOnMessage(ctx: AppContext, message: MessageRow, record: Interaction): Promise<MessageRow> {
  const shown = storedCard(message);
  if (shown === null) return message;
  const { components = [], ...rest } = shown;
  const { interaction_id: _, message_id: __, ...interaction } = record;
  const card = JSON.stringify({ components, ...rest, interaction } satisfies StoredCard);
  await updateMessage(ctx.db, message.id, { card });
  return { ...message, card };
}

/**
 * True if the message asks something, or did, or shows the record of a feature: then its text belongs to that. A menu does
 * not ask: it changes with its message.
 */
export function isAsking(row: MessageRow): boolean {
  const { interaction, feature } = storedCard(row) ?? {};
  return feature !== undefined || (interaction !== undefined && interaction.kind !== "menu");
}

/**
 * Cancels the question of a message that is being deleted, in the deleting transaction and before the message is
 * emptied, if it is still open.
 */
export async function cancelWithMessage(
  ctx: AppContext,
  message: MessageRow,
  { by, channelSlug }: { by: AuditActor; channelSlug: string },
): Promise<void> {
  const row = await findInteraction(ctx.db, message.id);
  if (row === undefined || row.status !== "open") return;
  const end = { status: "cancelled" as const, pressId: null };
  await changeInteraction(ctx, row, { end, press: null, by, reason: "message_deleted" }, { channelSlug, message });
}
