import { PINS_PER_CHANNEL } from "@parley/protocol/limits";
import { audit } from "../audit/audit.ts";
import { isoTimeOrNull } from "../base/iso-time.ts";
import { membershipOf, readableChannel, roleIn } from "../channels/access/access.ts";
import { assertMayTalk } from "../channels/access/may-talk.ts";
import type { Channel, ChannelRole } from "../channels/channel.ts";
import { speakingName } from "../channels/members/agents-online.ts";
import { assertNotMuted } from "../channels/members/mutes.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import { type MessageRow, recordJson } from "../event-log/message-json.ts";
import { decide } from "../http/acts/act.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { checkSpokenTo } from "./append/check-reply.ts";
import { isOwn, readableMessage } from "./messages.service.ts";
import { countPins, findMessage, pinnedMessages, updateMessage } from "./messages.store.ts";
import { actorOf, differingOf, withOwnFields } from "./own-fields.ts";

/** The response of pin and unpin (protocol §4). */
export interface PinState {
  message: string;
  message_id: number;
  channel_id: number;
  is_pinned: boolean;
  pinned_at: string | null;
  pinned_by: string | null;
  pinned_by_agent_id?: number;
}

/**
 * Pins a message; idempotent. Errors: `message_not_found`, `forbidden`, `message_deleted`, `pin_limit_reached`, those
 * of `assertMayTalk`; for agents also `muted`, `agents_not_allowed`, and those of `nameOf`, which is called when the agent
 * may pin, because it may bind a free name to it.
 */
export async function pinMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  nameOf?: () => string | Promise<string>,
): Promise<PinState> {
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  const byLevel = await mayPin(ctx, caller, row, true);
  const by = caller.kind === "user" ? null : await (nameOf?.() ?? speakingName(ctx, channel.id, caller.agentId));
  return setPinned(ctx, channel, messageId, {
    change: {
      pinned_at: ctx.clock.now(),
      pinned_by: caller.kind === "user" ? caller.username : by,
      pinned_agent_id: caller.kind === "user" ? null : caller.agentId,
    },
    auditor: byLevel && caller.kind === "user" ? caller : null,
  });
}

/**
 * Unpins a message; idempotent. Errors: `message_not_found`, `forbidden`, `message_deleted`; for agents also `muted`,
 * `agents_not_allowed` and those of `assertMayTalk`.
 */
export async function unpinMessage(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
): Promise<PinState> {
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  const byLevel = await mayPin(ctx, caller, row, false);
  return setPinned(ctx, channel, messageId, {
    change: { pinned_at: null, pinned_by: null, pinned_agent_id: null },
    auditor: byLevel && caller.kind === "user" ? caller : null,
  });
}

interface PinChange {
  change: Pick<MessageRow, "pinned_at" | "pinned_by" | "pinned_agent_id">;
  /** Who does so by their site level. */
  auditor: UserIdentity | null;
}

function setPinned(
  ctx: AppContext,
  channel: Channel,
  messageId: number,
  { change, auditor }: PinChange,
): Promise<PinState> {
  const pinned = change.pinned_at !== null;
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) throw fail("message_deleted");
    if ((before.pinned_at !== null) === pinned) return stateOf(before);
    if (pinned && (await countPins(ctx.db, channel.id)) >= PINS_PER_CHANNEL) throw fail("pin_limit_reached");
    await updateMessage(ctx.db, messageId, change);
    const row = { ...before, ...change };
    const { message: _, channel_id: __, ...data } = stateOf(row);
    await appendEvent(ctx, channel.id, pinned ? "message:pin" : "message:unpin", {
      data,
      message: { row, channelSlug: channel.slug },
    });
    if (auditor !== null) await audit(ctx, auditor, pinned ? "message_pin" : "message_unpin", `message:${messageId}`);
    return stateOf(row);
  });
}

/** Returns true if the caller may pin only by their site level; decided again in the transaction. */
const mayPin = (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: MessageRow,
  pinned: boolean,
): Promise<boolean> => decide(ctx, caller, (ctx, caller) => checkMayPin(ctx, caller, row, pinned), row.channel_id);

/** Errors: `forbidden`, and those of the caller's kind. */
async function checkMayPin(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: MessageRow,
  pinned: boolean,
): Promise<boolean> {
  // Read here, so that the settings are those of the moment in which it is decided.
  const channel = await readableChannel(ctx, caller, { id: row.channel_id }, "message_not_found");
  if (caller.kind === "agent") {
    await checkAgentMayPin(ctx, caller, channel, pinned ? row : null);
    return false;
  }
  const byLevel = checkUserMayPin(caller, channel, await roleIn(ctx, caller, channel));
  if (pinned && channel.direct !== null) await assertMayTalk(ctx, caller, channel);
  return byLevel;
}

/** Returns true if the user may pin only by their site level. Errors: `forbidden`. */
function checkUserMayPin(caller: UserIdentity, channel: Channel, role: ChannelRole | null): boolean {
  if (role === "owner" || role === "admin") return false;
  if (role === "member" && channel.pin_policy === "members") return false;
  if (hasLevel(caller, MODERATOR)) return true;
  throw fail("forbidden");
}

/**
 * An agent that was added to the channel pins where members do, if it may write there. Under `mention_only` it pins its own
 * messages, and those that mention it; `pinned`: the message, null if it is unpinned.
 * Errors: `forbidden`, `agents_not_allowed`, `muted`, those of `assertMayTalk`.
 */
async function checkAgentMayPin(
  ctx: AppContext,
  caller: AgentIdentity,
  channel: Channel,
  pinned: MessageRow | null,
): Promise<void> {
  const place = await membershipOf(ctx, caller, channel);
  if (place === null || channel.pin_policy !== "members") throw fail("forbidden");
  if (channel.agent_policy === "deny") throw fail("agents_not_allowed");
  assertNotMuted(ctx, place.mutedUntil);
  if (channel.direct !== null) await assertMayTalk(ctx, caller, channel);
  if (pinned !== null && channel.agent_policy === "mention_only" && !isOwn(pinned, caller))
    await checkSpokenTo(ctx, channel, caller, [pinned]);
}

function stateOf(row: MessageRow): PinState {
  const isPinned = row.pinned_at !== null;
  return {
    message: isPinned ? "The message is pinned." : "The message is not pinned.",
    message_id: row.id,
    channel_id: row.channel_id,
    is_pinned: isPinned,
    pinned_at: isoTimeOrNull(row.pinned_at),
    pinned_by: row.pinned_by,
    ...(row.pinned_agent_id === null ? {} : { pinned_by_agent_id: row.pinned_agent_id }),
  };
}

/** Returns the channel's pins as a JSON list, newest pin first. */
export async function listPins(
  ctx: AppContext,
  caller: Identity,
  channelId: number,
): Promise<{ channel: Channel; messagesJson: string }> {
  const channel = await readableChannel(ctx, caller, { id: channelId });
  const rows = await pinnedMessages(ctx.db, channel.id);
  const json = `[${rows.map((row) => recordJson(row, channel.slug)).join(",")}]`;
  const messagesJson = await withOwnFields(ctx, actorOf(caller), { json, ...differingOf(rows) });
  return { channel, messagesJson };
}
