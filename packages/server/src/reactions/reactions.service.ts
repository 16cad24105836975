import type { ReactorsResponse } from "@parley/protocol/messages";
import type { ChatMessage, Reaction } from "@parley/protocol/models";
import { PLATFORM_AGENT } from "../accounts/names/agent-names.ts";
import { enterToReact } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import { speakingName } from "../channels/members/agents-online.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { columnOf, countsOf, oneLess, oneMore, reactionOf, recordsOf } from "../event-log/reaction-counts.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { type OffsetQuery, pageByOffset } from "../http/pages.ts";
import { checkSpokenTo } from "../messages/append/check-reply.ts";
import { changeStored, storedMessage } from "../messages/message-hooks.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { type Actor, actorOf, type Differing } from "../messages/own-fields.ts";
import { creditLike } from "../points/earning.ts";
import { deleteReaction, findReactors, insertReaction, reactionsBy } from "./reactions.store.ts";

/** The reaction that pays points to the message's author (protocol §2). */
const LIKE = "like";

/** A message's reactions after the change, as the caller sees them. */
export interface Reacted {
  message_id: number;
  reactions: Reaction[];
}

interface Act {
  messageId: number;
  reaction: string;
  /** True: given; false: removed. */
  added: boolean;
}

/**
 * Adds a reaction; idempotent. A user who reacts in a public channel joins it. A user's first `like` pays the author.
 * Errors: `invalid_reaction`, `message_not_found`, `password_required`, `muted`, `agents_not_allowed`,
 * `message_deleted`, `reaction_limit_reached`.
 */
export async function addReaction(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  text: string,
): Promise<Reacted> {
  const reaction = checkReaction(text);
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  await enterToReact(ctx, caller, channel);
  if (caller.kind === "agent" && channel.agent_policy === "mention_only")
    await checkSpokenTo(ctx, channel, caller, [row]);
  return setReaction(ctx, caller, channel, { messageId, reaction, added: true });
}

/**
 * Removes the caller's own reaction, even if they may no longer react; idempotent.
 * Errors: `invalid_reaction`, `message_not_found`, `password_required`, `message_deleted`.
 */
export async function removeReaction(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  text: string,
): Promise<Reacted> {
  const reaction = checkReaction(text);
  const { channel } = await readableMessage(ctx, caller, messageId);
  return setReaction(ctx, caller, channel, { messageId, reaction, added: false });
}

/** Returns the caller's own reactions to a message. */
export async function reactionsOfCaller(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
): Promise<string[]> {
  return (await reactionsBy(ctx.db, actorOf(caller), [messageId])).map(({ reaction }) => reaction);
}

/**
 * Returns a page of who gave a reaction to a message that the caller may read.
 * Errors: `invalid_reaction`, `message_not_found`, `session_required`, `password_required`, `banned`.
 */
export async function reactorsOf(
  ctx: AppContext,
  caller: Identity,
  messageId: number,
  text: string,
  query: OffsetQuery,
): Promise<Omit<ReactorsResponse, "success">> {
  const reaction = checkReaction(text);
  const { row } = await readableMessage(ctx, caller, messageId);
  const { shown, ...rest } = await pageByOffset(query, (page) => findReactors(ctx.db, row.id, reaction, page));
  const actors = shown.map(({ kind, name }) => ({ kind, name: name ?? PLATFORM_AGENT }));
  return { message_id: row.id, reaction, actors, ...rest };
}

function checkReaction(text: string): string {
  const reaction = reactionOf(text);
  if (reaction === null) throw fail("invalid_reaction");
  return reaction;
}

/**
 * Changes the actor's row and the message's counts together, under the channel's row lock, so that they stay
 * consistent.
 */
async function setReaction(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  act: Act,
): Promise<Reacted> {
  const actor = actorOf(caller);
  const name = caller.kind === "user" ? caller.username : await speakingName(ctx, channel.id, caller.agentId);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await storedMessage(ctx, act.messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) throw fail("message_deleted");
    const isNew = act.added
      ? await insertReaction(ctx.db, before.id, actor, act.reaction, ctx.clock.now())
      : await deleteReaction(ctx.db, before.id, actor, act.reaction);
    const row = isNew ? await count(ctx, before, act) : before;
    if (isNew) {
      if (act.added && caller.kind === "user") await credit(ctx, row, act.reaction, caller.userId);
      await appendEvent(ctx, channel.id, "reaction:update", {
        data: {
          message_id: row.id,
          reactions: recordsOf(countsOf(row.reactions)),
          username: caller.kind === "user" ? name : null,
          agent_name: caller.kind === "agent" ? name : null,
          agent_id: caller.kind === "agent" ? caller.agentId : null,
          reaction: act.reaction,
          added: act.added,
        },
        message: { row, channelSlug: channel.slug },
      });
    }
    const own = await reactionsBy(ctx.db, actor, [row.id]);
    return {
      message_id: row.id,
      reactions: recordsOf(countsOf(row.reactions), new Set(own.map(({ reaction }) => reaction))),
    };
  });
}

/** Stores the changed counts and returns the message with them. Errors: `reaction_limit_reached`. */
async function count(ctx: AppContext, before: MessageRow, { reaction, added }: Act): Promise<MessageRow> {
  const counts = countsOf(before.reactions);
  const after = added ? oneMore(counts, reaction) : oneLess(counts, reaction);
  if (after === null) throw fail("reaction_limit_reached");
  const change = { reactions: columnOf(after) };
  await changeStored(ctx, before.id, change);
  return { ...before, ...change };
}

/** Pays the author for a like. Agents earn nothing, and their likes pay nothing (protocol §2). */
async function credit(ctx: AppContext, row: MessageRow, reaction: string, likerId: number): Promise<void> {
  if (reaction !== LIKE || row.user_id === null) return;
  await creditLike(ctx, { messageId: row.id, authorId: row.user_id, likerId });
}

/** Reads which reactions are the reader's own: `me` is true for them, and false in the records that all share. */
export async function ownReactions(ctx: AppContext, reader: Actor, { reactedIds }: Differing) {
  const own = reactedIds.length === 0 ? [] : await reactionsBy(ctx.db, reader, reactedIds);
  if (own.length === 0) return null;
  const given = new Set(own.map(({ message_id, reaction }) => `${message_id} ${reaction}`));
  return ({ id, reactions }: ChatMessage): void => {
    for (const kind of reactions) kind.me = given.has(`${id} ${kind.reaction}`);
  };
}
