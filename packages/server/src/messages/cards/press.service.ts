import type { PressBody } from "@parley/protocol/card-calls";
import type { Interaction } from "@parley/protocol/cards";
import { enterToReact, readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { lockChannel } from "../../event-log/events.ts";
import { storedCard } from "../../event-log/stored-card.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { isInScope } from "../../http/key-scopes.ts";
import { pressMenu, readableMenu } from "../menus/press.service.ts";
import { findMessage } from "../messages.store.ts";
import { assertMayAnswer } from "./assert-may-answer.ts";
import { chosenValue } from "./card-input.ts";
import { outcomeOf } from "./card-rules.ts";
import { changeInteraction } from "./changes.ts";
import { pressesUnder, quorumUnder, ruleFor } from "./channel-rule.ts";
import { interactionRecord, resultOf, withUser } from "./interaction-record.ts";
import {
  findInteraction,
  type InteractionRow,
  insertPress,
  type PressRow,
  pressesBy,
  pressesOf,
  updateInteraction,
} from "./interactions.store.ts";

/**
 * Returns an interaction whose message this caller may read. The agent that asked always may: it must learn how its
 * question ended. Errors: `interaction_not_found`, `session_required`, `channel_not_in_scope`, those of `readableChannel`.
 */
export async function readableInteraction(
  ctx: AppContext,
  caller: Identity,
  id: number,
): Promise<{ row: InteractionRow; channel: Channel | null }> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const row = await findInteraction(ctx.db, id);
  if (row === undefined) throw fail("interaction_not_found");
  if (caller.kind === "agent" && caller.agentId === row.agent_id) {
    if (!isInScope(caller, row.channel_id)) throw fail("channel_not_in_scope");
    return { row, channel: null };
  }
  return { row, channel: await readableChannel(ctx, caller, { id: row.channel_id }, "interaction_not_found") };
}

/**
 * Answers a card (protocol §12.6), or presses a button of a menu. Of a card, the same press again has the same answer. A user who answers in a public channel joins it.
 * Errors: those of `readableInteraction` and `enterToReact`, `unknown_action`, `not_allowed_to_answer`,
 * `interaction_closed`, `interaction_expired`.
 */
export async function press(ctx: AppContext, caller: UserIdentity, id: number, body: PressBody): Promise<Interaction> {
  const menu = await readableMenu(ctx, caller, id);
  if (menu !== null) return pressMenu(ctx, caller, menu, body);
  const { row, channel } = await readableInteraction(ctx, caller, id);
  if (channel === null) throw fail("interaction_not_found");
  // First, because a user who is refused must not have joined.
  if (row.status === "open") await assertMayAnswer(ctx, caller, { row, channel, isEntering: true });
  if (row.status === "open") await enterToReact(ctx, caller, channel);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    return pressUnderLock(ctx, caller, { id, channel, body });
  });
}

async function pressUnderLock(
  ctx: AppContext,
  caller: UserIdentity,
  { id, channel, body }: { id: number; channel: Channel; body: PressBody },
): Promise<Interaction> {
  const row = await findInteraction(ctx.db, id);
  const message = await findMessage(ctx.db, id);
  if (row === undefined) throw fail("interaction_not_found");
  const presses = await pressesOf(ctx.db, row);
  const record = interactionRecord(row, presses);
  const same = (await pressesBy(ctx.db, id, caller.userId)).find((press) => isSame(press, body));
  if (same !== undefined) return row.kind === "open" ? { ...record, result: resultOf(same) } : record;
  const isGone = message === undefined || message.card === null || message.deleted_at !== null;
  if (row.status === "expired") throw fail("interaction_expired");
  if (row.status !== "open" || row.cancel_reason !== null || isGone)
    throw fail("interaction_closed", { details: { interaction: record } });
  if (row.expires_at <= ctx.clock.now()) throw fail("interaction_expired");
  const { components = [] } = storedCard(message) ?? {};
  const chosen = chosenValue(components, body);
  if (chosen === null) throw fail("unknown_action");
  await assertMayAnswer(ctx, caller, { row, channel, isEntering: false });
  const fields = { message_id: id, user_id: caller.userId, action_id: body.action_id, choice: chosen.value ?? "" };
  const created_at = ctx.clock.now();
  const pressId = await insertPress(ctx.db, { ...fields, created_at });
  const made: PressRow = { id: pressId, ...fields, created_at, username: caller.username };
  const rule = await ruleFor(ctx.db, row);
  const quorum = row.kind === "approval" ? quorumUnder(rule, row.quorum) : row.quorum;
  const pressed = { ...row, press_count: row.press_count + 1, quorum };
  await updateInteraction(ctx.db, id, { press_count: pressed.press_count, quorum });
  const counted = await pressesUnder(ctx.db, rule, channel.id, [...presses, made].map(withUser));
  const outcome = outcomeOf(row.kind, quorum, counted);
  const end = outcome === "decided" ? { status: "decided" as const, pressId } : null;
  // A vote is no result: only the press that decides is one, and each press of an open card.
  const isResult = end !== null || row.kind === "open";
  const change = { end, press: made, by: caller, isResult, rule };
  return changeInteraction(ctx, pressed, change, { channelSlug: channel.slug, message });
}

/** True if this press is what the caller sends again. A button's value need not be sent. */
const isSame = (press: PressRow, { action_id, value }: PressBody): boolean =>
  press.action_id === action_id && (value == null || press.choice === value);
