import type { AppContext } from "../context.ts";
import type { ErasingStep } from "../erasure.ts";
import { tryLockChannel } from "../event-log/events.ts";
import { channelState } from "../event-log/rows.ts";
import { changeStored, storedMessage } from "../messages/message-hooks.ts";
import { pagedList, withTimes } from "../user-export.ts";
import { cardOf, pollOf, showPoll } from "./poll-record.ts";
import { exportedVotes, forgetVoter, pollsVotedIn } from "./polls.store.ts";
import { namedVoters } from "./vote.service.ts";

const POLLS = 50;

/**
 * Removes the user from the polls in which they have voted. The sums stay, without the name. Runs before the steps of
 * messages and events, so that a vote of somebody else cannot bring the name back after them.
 */
export const erasePolls: ErasingStep = async (ctx, { userId }, from) => {
  const polls = await pollsVotedIn(ctx.db, userId, POLLS);
  for (const { message_id, channel_id } of polls) await forget(ctx, userId, { id: message_id, channelId: channel_id });
  return polls.length === 0 ? null : from;
};

async function forget(ctx: AppContext, userId: number, { id, channelId }: { id: number; channelId: number }) {
  // A deleted channel accepts no events and no votes.
  const isLive = await tryLockChannel(ctx, channelId);
  await forgetVoter(ctx.db, id, userId);
  const message = await storedMessage(ctx, id);
  const poll = message === undefined ? undefined : pollOf(message);
  if (message === undefined || poll === undefined || poll.anonymous) return;
  const after = await namedVoters(ctx, id, poll, new Set(poll.options.map(({ option_id }) => option_id)));
  if (!isLive) return changeStored(ctx, id, { card: cardOf(after) });
  const channelSlug = (await channelState(ctx.db, channelId))?.slug ?? "";
  return showPoll(ctx, { message, channelSlug }, after);
}

export const exportVotes = pagedList(exportedVotes, ({ id, message_id, ...row }) => ({
  poll_id: message_id,
  ...withTimes(row),
}));
