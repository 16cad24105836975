import type { Poll } from "@parley/protocol/polls";
import { pause } from "../base/timers.ts";
import { enterToReact } from "../channels/access/access.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { type AppContext, perServer } from "../context.ts";
import { BatchQueue } from "../db/batch-queue.ts";
import { type AppError, fail } from "../errors.ts";
import { tryLockChannel } from "../event-log/events.ts";
import { type ActsDraft, transactBatch } from "../http/acts/acts-of-batch.ts";
import type { UserIdentity } from "../http/identity.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import { pollOf, pollRecord, showPoll } from "./poll-record.ts";
import { type Change, choiceRefusal, closedRefusal, counted, type StoredPoll } from "./poll-rules.ts";
import { readablePoll } from "./polls.service.ts";
import { deleteVotes, firstVoters, insertVotes, votesOf } from "./polls.store.ts";

/** Between two commits of votes: those that arrive meanwhile are stored together, with one event. */
const GATHER_MS = 100;

/** A vote that has passed every check that does not need the lock of the channel's row. */
export interface VoteDraft extends ActsDraft {
  pollId: number;
  channelId: number;
  userId: number;
  optionIds: readonly number[];
}

/**
 * Sets the options that the caller chooses; an empty list withdraws the vote (protocol §13.7). In a public channel, voting joins.
 * Errors: those of `readablePoll` and `enterToReact`, `unknown_option`, `one_option_only`, `poll_closed`, `overloaded`.
 */
export async function vote(
  ctx: AppContext,
  caller: UserIdentity,
  pollId: number,
  optionIds: readonly number[],
): Promise<Poll> {
  const { poll, channel } = await readablePoll(ctx, caller, pollId);
  // First, because a user who is refused must not have joined.
  const refusal = refusalOf(ctx, poll, optionIds);
  if (refusal !== null) throw refusal;
  await enterToReact(ctx, caller, channel);
  const draft = { pollId, channelId: channel.id, userId: caller.userId, optionIds };
  return voteQueue(ctx).add(ctx.act === undefined ? draft : { ...draft, act: ctx.act });
}

function refusalOf(ctx: AppContext, poll: StoredPoll, optionIds: readonly number[]): AppError | null {
  const closed = closedRefusal(poll, ctx.clock.now());
  return closed === null ? choiceRefusal(poll, optionIds) : fail(closed);
}

/** The queue of votes to write in batches. The first vote after a while is written at once. */
const voteQueue: (ctx: AppContext) => BatchQueue<VoteDraft, Poll> = perServer((ctx) => {
  let next = 0;
  return new BatchQueue<VoteDraft, Poll>(ctx, {
    async commit(drafts) {
      const wait = next - ctx.clock.monotonic();
      if (wait > 0) await pause(wait);
      try {
        return await transactBatch(ctx, drafts, writeVotes);
      } finally {
        next = ctx.clock.monotonic() + GATHER_MS;
      }
    },
  });
});

/**
 * Writes the votes of a batch inside its transaction; each result has the index of its draft. The votes of one poll are
 * applied in their order, under the lock of the channel's row, and are one event.
 */
export async function writeVotes(ctx: AppContext, batch: readonly VoteDraft[]): Promise<(Poll | AppError)[]> {
  const answers: (Poll | AppError)[] = new Array(batch.length);
  const groups = Map.groupBy(batch.keys(), (index) => batch[index]?.pollId ?? 0);
  const placeOf = ([index = 0]: readonly number[]) => batch[index] ?? { channelId: 0, pollId: 0 };
  // By channel, so that two nodes cannot deadlock on each other's rows.
  const ordered = [...groups.values()].sort(
    (one, other) => placeOf(one).channelId - placeOf(other).channelId || placeOf(one).pollId - placeOf(other).pollId,
  );
  for (const indexes of ordered) {
    const written = await voteInPoll(
      ctx,
      indexes.flatMap((index) => batch[index] ?? []),
    );
    indexes.forEach((index, at) => {
      answers[index] = written[at] ?? fail("internal_error");
    });
  }
  return answers;
}

async function voteInPoll(ctx: AppContext, drafts: readonly VoteDraft[]): Promise<(Poll | AppError)[]> {
  const [{ channelId, pollId } = { channelId: 0, pollId: 0 }] = drafts;
  const isLive = await tryLockChannel(ctx, channelId);
  const message = isLive ? await storedMessage(ctx, pollId) : undefined;
  const poll = message === undefined ? undefined : pollOf(message);
  if (message === undefined || poll === undefined) return drafts.map(() => fail("poll_not_found"));
  const refusals = drafts.map(({ optionIds }) => refusalOf(ctx, poll, optionIds));
  const changes = await changesOf(
    ctx,
    pollId,
    drafts.filter((_, at) => refusals[at] === null),
  );
  const after = await store(ctx, pollId, poll, [...changes.values()]);
  if (after !== poll) {
    const channelSlug = (await findChannel(ctx, { id: channelId }))?.slug ?? "";
    await showPoll(ctx, { message, channelSlug }, after);
    for (const change of changes.values()) tellVoter(ctx, { channelId, pollId }, change);
  }
  return drafts.map(({ userId }, at) => refusals[at] ?? pollRecord(pollId, after, changes.get(userId)?.after ?? []));
}

/** Tells the other devices of a voter, and nobody else. Call it inside `transact`. */
function tellVoter(
  ctx: AppContext,
  { channelId, pollId }: { channelId: number; pollId: number },
  { userId, before, after }: Change,
): void {
  if (before.join() === after.join()) return;
  const data = { channel_id: channelId, poll_id: pollId, option_ids: after };
  publishEvent(ctx, userTopic(userId), "poll:voted", data);
}

/** Returns by user what they had chosen and what they choose now; the last vote of a user counts. */
async function changesOf(
  ctx: AppContext,
  pollId: number,
  drafts: readonly VoteDraft[],
): Promise<ReadonlyMap<number, Change>> {
  const wanted = new Map(drafts.map(({ userId, optionIds }) => [userId, optionIds]));
  const stored = wanted.size === 0 ? [] : await votesOf(ctx.db, pollId, [...wanted.keys()]);
  const earlier = Map.groupBy(stored, ({ user_id }) => user_id);
  return new Map(
    [...wanted].map(([userId, optionIds]) => {
      const before = (earlier.get(userId) ?? []).map(({ option_id }) => option_id);
      return [userId, { userId, before, after: optionIds.toSorted((a, b) => a - b) }];
    }),
  );
}

/** Stores changed votes. Returns the poll after them: the same one if nothing has changed. */
async function store(
  ctx: AppContext,
  messageId: number,
  poll: StoredPoll,
  changes: readonly Change[],
): Promise<StoredPoll> {
  const added: { userId: number; optionId: number }[] = [];
  const touched = new Set<number>();
  for (const { userId, before, after } of changes)
    for (const optionId of after.filter((id) => !before.includes(id))) added.push({ userId, optionId });
  for (const { option_id: optionId } of poll.options) {
    const gone = changes.filter(({ before, after }) => before.includes(optionId) && !after.includes(optionId));
    if (gone.length === 0) continue;
    touched.add(optionId);
    await deleteVotes(
      ctx.db,
      { messageId, optionId },
      gone.map(({ userId }) => userId),
    );
  }
  for (const { optionId } of added) touched.add(optionId);
  if (touched.size === 0) return poll;
  const created_at = ctx.clock.now();
  await insertVotes(
    ctx.db,
    added.map(({ userId, optionId }) => ({ message_id: messageId, option_id: optionId, user_id: userId, created_at })),
  );
  return namedVoters(ctx, messageId, counted(poll, changes), touched);
}

/** Returns the poll with the names of those who chose the options `of`, unless it is anonymous. */
export async function namedVoters(
  ctx: AppContext,
  messageId: number,
  poll: StoredPoll,
  of: ReadonlySet<number>,
): Promise<StoredPoll> {
  if (poll.anonymous) return poll;
  const options: StoredPoll["options"] = [];
  for (const option of poll.options)
    options.push(
      of.has(option.option_id) ? { ...option, voters: await firstVoters(ctx.db, messageId, option.option_id) } : option,
    );
  return { ...poll, options };
}
