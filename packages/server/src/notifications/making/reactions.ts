import { lookUpNames } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { publishGone } from "../list/notifications.service.ts";
import * as store from "./making.store.ts";
import { notified } from "./rules.ts";
import { type ChangedRow, eventData, livingMessages } from "./spans.store.ts";

/** Within this time, further reactions of the same actor to a message do not call its author again. */
const SAME_ACTOR_MS = 60_000;

interface Reacted {
  userId: number;
  sender: string;
  messageId: number;
  seq: number;
  from_user_id: number | null;
  from_agent_id: number | null;
  from_name: string | null;
  reaction: string;
}

/**
 * Notifies the authors of messages of the newest reaction to each, in one notification a message, and marks as read those
 * of reactions that were taken back. Returns the ids of those that call the author.
 */
export async function notifyReactions(
  ctx: AppContext,
  channels: ReadonlyMap<number, Channel>,
  changes: readonly ChangedRow[],
): Promise<number[]> {
  const added = changes.filter(({ added }) => added === 1);
  const ids: number[] = [];
  for (const [channelId, reactions] of Map.groupBy(await reactedTo(ctx, added), ({ channelId }) => channelId)) {
    const channel = channels.get(channelId);
    if (channel === undefined) continue;
    for (const reaction of await notified(ctx, channel, reactions)) {
      const id = await save(ctx, channelId, reaction);
      if (id !== null) ids.push(id);
    }
  }
  const takenBack = changes.filter(({ added }) => added === 0).map(({ message_id }) => message_id);
  if (takenBack.length > 0) {
    await publishGone(ctx, await store.readTakenBack(ctx.db, takenBack, ctx.clock.now()));
  }
  return ids;
}

async function reactedTo(ctx: AppContext, added: readonly ChangedRow[]): Promise<(Reacted & { channelId: number })[]> {
  const messages = await livingMessages(
    ctx.db,
    added.map(({ message_id }) => message_id),
  );
  const authors = new Map(messages.map(({ id, user_id }) => [id, user_id]));
  const found: (Reacted & { channelId: number })[] = [];
  for (const { channel_id, message_id, seq } of added) {
    const userId = authors.get(message_id) ?? null;
    if (userId === null) continue;
    const actor = await actorOf(ctx, channel_id, seq);
    if (actor === null || actor.from_user_id === userId) continue;
    found.push({ ...actor, userId, channelId: channel_id, messageId: message_id, seq });
  }
  return found;
}

/** Returns who reacted in an event; null if the account is gone. */
async function actorOf(ctx: AppContext, channelId: number, seq: number) {
  const data = await eventData(ctx.db, channelId, seq);
  if (data === undefined) return null;
  const { username, agent_id, agent_name, reaction } = JSON.parse(data) as {
    username: string | null;
    agent_id: number | null;
    agent_name: string | null;
    reaction: string;
  };
  if (agent_id !== null) {
    return { sender: `a${agent_id}`, from_user_id: null, from_agent_id: agent_id, from_name: agent_name, reaction };
  }
  const key = nameKey(username ?? "");
  const named = (await lookUpNames(ctx, [key])).get(key);
  if (named?.kind !== "user") return null;
  return { sender: `u${named.id}`, from_user_id: named.id, from_agent_id: null, from_name: null, reaction };
}

/** Stores a reaction; returns its id if it calls the author. */
async function save(
  ctx: AppContext,
  channelId: number,
  { userId, messageId, seq, from_user_id, from_agent_id, from_name, reaction }: Reacted,
): Promise<number | null> {
  const now = ctx.clock.now();
  const shown = { seq, from_user_id, from_agent_id, from_name, reaction };
  const before = await store.findReactionNotification(ctx.db, userId, messageId);
  if (before === undefined) {
    const [stored] = await store.insertNotifications(ctx.db, [
      {
        ...shown,
        user_id: userId,
        kind: "reaction",
        about: "reaction",
        channel_id: channelId,
        message_id: messageId,
        thread_root_id: null,
        read_at: null,
        created_at: now,
      },
    ]);
    return stored?.id ?? null;
  }
  const isSame = before.from_user_id === from_user_id && before.from_agent_id === from_agent_id;
  const isSoon = isSame && now - before.created_at < SAME_ACTOR_MS;
  const change = isSoon ? shown : { ...shown, read_at: null, created_at: now };
  await store.updateReactionNotification(ctx.db, before.id, change);
  return isSoon ? null : before.id;
}
