import type { Poll } from "@parley/protocol/polls";
import { audit } from "../audit/audit.ts";
import { isByLevel, mayManage, readableChannel, roleIn } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { lockChannel } from "../event-log/events.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { decide } from "../http/acts/act.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { isOwn } from "../messages/messages.service.ts";
import { pollOf, pollRecord, showPoll } from "./poll-record.ts";
import type { StoredPoll } from "./poll-rules.ts";
import { endPoll, votesBy } from "./polls.store.ts";

/** A poll with its message and channel. */
interface FoundPoll {
  message: MessageRow;
  poll: StoredPoll;
  channel: Channel;
}

/** Returns a poll whose message the caller may read. Errors: `poll_not_found`, those of `readableChannel`. */
export async function readablePoll(ctx: AppContext, caller: Identity, pollId: number): Promise<FoundPoll> {
  const message = await storedMessage(ctx, pollId);
  const poll = message === undefined ? undefined : pollOf(message);
  if (message === undefined || poll === undefined) throw fail("poll_not_found");
  return { message, poll, channel: await readableChannel(ctx, caller, { id: message.channel_id }, "poll_not_found") };
}

/** Returns true if the caller may close the poll only by their site level. Errors: `forbidden`. */
async function checkMayClose(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { message, channel }: FoundPoll,
): Promise<boolean> {
  if (isOwn(message, caller)) return false;
  const role = await roleIn(ctx, caller, channel);
  if (channel.direct !== null || !mayManage(caller, role, "moderator")) throw fail("forbidden");
  return isByLevel(role);
}

/**
 * Closes a poll for its maker, or for those who moderate the channel; idempotent (protocol §13.7). Errors: those of
 * `readablePoll`, `forbidden`.
 */
export async function closePoll(ctx: AppContext, caller: UserIdentity | AgentIdentity, pollId: number): Promise<Poll> {
  const found = await readablePoll(ctx, caller, pollId);
  const { channel } = found;
  const byLevel = await decide(ctx, caller, (ctx, caller) => checkMayClose(ctx, caller, found), channel.id);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const message = await storedMessage(ctx, pollId);
    const poll = message === undefined ? undefined : pollOf(message);
    if (message === undefined || poll === undefined) throw fail("poll_not_found");
    const closed = await closeUnderLock(ctx, { message, channelSlug: channel.slug }, poll);
    if (byLevel && caller.kind === "user" && poll.status === "open")
      await audit(ctx, caller, "poll_close", `message:${pollId}`, { channel_id: channel.id });
    return pollRecord(pollId, closed, await ownVotesIn(ctx, caller, pollId));
  });
}

/** Closes a poll, unless it is closed, under the lock of the channel's row. Returns it as it is then. */
export async function closeUnderLock(
  ctx: AppContext,
  shown: { message: MessageRow; channelSlug: string },
  poll: StoredPoll,
): Promise<StoredPoll> {
  if (poll.status === "closed") return poll;
  const closed: StoredPoll = { ...poll, status: "closed" };
  await endPoll(ctx.db, shown.message.id, ctx.clock.now());
  await showPoll(ctx, shown, closed);
  return closed;
}

async function ownVotesIn(ctx: AppContext, caller: UserIdentity | AgentIdentity, pollId: number) {
  if (caller.kind === "agent") return null;
  return (await votesBy(ctx.db, caller.userId, [pollId])).map(({ option_id }) => option_id);
}
