import { PENDING_MENTIONS_MAX, RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import { readableChannel } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { recordJson } from "../../event-log/message-json.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { hasScope, isInScope } from "../../http/key-scopes.ts";
import { cardItems } from "../../messages/cards/card-items.ts";
import { resume } from "../../messages/history/resume.ts";
import { hasMessage, type ItemRow, isNotice, itemsSince, messagesOfItems } from "../../messages/inbox/inbox-rows.ts";
import { messageItemFrame, noticeFrame, noticeItem } from "../../messages/inbox/item-frames.ts";
import { frameOf } from "../../realtime/frame-text.ts";
import { isAsked } from "../kinds/asked.ts";
import { reactionsOf } from "../kinds/reactions.ts";
import { readableAmong } from "../mentions/mentions.service.ts";
import { newestTimes } from "./events.store.ts";
import type { StreamPosition } from "./stream-position.ts";

/**
 * Overlap when resuming by time. On a slow disk an event can be published some time after its timestamp, and events of
 * two channels can be published in another order than their timestamps. Resending events is better than losing them.
 */
const OVERLAP_MS = 10_000;

/**
 * The events of one channel that the stream missed: all after the position up to `lastSeq`, in order; null: too many to
 * resend.
 */
export interface Missed {
  frames: string[] | null;
  lastSeq: number;
  /** An import has added messages among what was missed. */
  isExtended: boolean;
}

/** Returns what the stream missed of a channel; null: the agent may no longer read the channel. */
export async function missedOf(
  ctx: AppContext,
  caller: AgentIdentity,
  channelId: number,
  from: StreamPosition,
): Promise<Missed | null> {
  try {
    const channel = await readableChannel(ctx, caller, { id: channelId });
    const after = from.seqs.get(channelId) ?? (await seqBefore(ctx, channelId, from.at));
    const resumed = await resume(ctx, channel, after, from.epoch ?? ctx.epoch);
    const { lastSeq } = resumed;
    return resumed.recovered
      ? { frames: resumed.framesJson, lastSeq, isExtended: false }
      : { frames: null, lastSeq, isExtended: resumed.isExtended };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Items that are read and sent at once: with the longest messages, half of what a reader may be behind. */
const ITEMS_AT_ONCE = 8;

/**
 * Yields the pending items of the inbox the stream missed, as the frames that would have been pushed. On a lone server a
 * message's item is sent before the message, so a client that has the message has the item, unless an edit added it or the
 * agent asked for items of its kind.
 * Nodes of a cluster yield all items since 10 s before the position: the node that gave the position may not have
 * noticed yet that the bus had lost an item. Above 1,000 items it yields a `reset` that tells the agent to read them
 * (protocol §5).
 */
export async function* missedItems(
  ctx: AppContext,
  caller: AgentIdentity,
  from: StreamPosition,
): AsyncGenerator<string[], void> {
  if (!hasScope(caller, "inbox")) return;
  const items = await itemsSince(ctx.db, caller.agentId, from.at - OVERLAP_MS, PENDING_MENTIONS_MAX + 1);
  if (items.length > PENDING_MENTIONS_MAX) yield [frameOf("reset", '{"reason":"mentions"}')];
  else {
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      yield await framesOf(ctx, caller, from, items.slice(at, at + ITEMS_AT_ONCE));
    }
  }
}

const NO_SEQS: ReadonlyMap<number, number> = new Map();

async function framesOf(
  ctx: AppContext,
  caller: AgentIdentity,
  from: StreamPosition,
  items: readonly ItemRow[],
): Promise<string[]> {
  const ofMessages = items.filter(hasMessage);
  const places = ofMessages.map(({ channel_id }) => ({ channelId: channel_id }));
  const channels = await readableAmong(ctx, caller, places, null);
  const ids = new Set(ofMessages.map(({ message_id }) => message_id));
  const messages = new Map((await messagesOfItems(ctx.db, [...ids])).map((row) => [row.id, row]));
  const cards = await cardItems(ctx, items);
  const reactions = await reactionsOf(ctx.db, items);
  const seqs = ctx.cluster === null && (from.epoch === null || from.epoch === ctx.epoch) ? from.seqs : NO_SEQS;
  return items.flatMap((item) => {
    if (isNotice(item)) return isInScope(caller, item.channel_id || null) ? [noticeFrame(noticeItem(item))] : [];
    if (!hasMessage(item))
      return isInScope(caller, item.channel_id) ? [cards.get(item.id) ?? []].flat().map(noticeFrame) : [];
    const [row, channel] = [messages.get(item.message_id), channels.get(item.channel_id)];
    if (row === undefined || channel === undefined) return [];
    const isLater = item.created_at > row.created_at || isAsked(item);
    if (!isLater && row.seq <= (seqs.get(row.channel_id) ?? -1)) return [];
    const reaction = reactions.get(item.id);
    if (item.kind === "reaction" && reaction === undefined) return [];
    return [messageItemFrame(item, { json: recordJson(row, channel.slug), channelSlug: channel.slug, reaction })];
  });
}

/**
 * Returns a sequence number of the channel before everything since `at`. A number that is too early only causes
 * repeats.
 */
async function seqBefore(ctx: AppContext, channelId: number, at: number): Promise<number> {
  const newest = await newestTimes(ctx.db, channelId, RESUME_EVENTS_MAX);
  const before = newest.find(({ created_at }) => created_at < at - OVERLAP_MS);
  // If all rows were read, 0 is the channel's beginning. Otherwise more was missed than can be resent, and `resume`
  // reports it.
  return before?.seq ?? 0;
}
