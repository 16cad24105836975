import type { Poll } from "@parley/protocol/polls";
import type { AppContext } from "../context.ts";
import type { PublishedEvent, SpanReader } from "../event-log/event-spans.ts";
import { appendSpan } from "../event-log/events.ts";
import { featureFields, featureOf, type MessageRow } from "../event-log/message-json.ts";
import { changeStored } from "../messages/message-hooks.ts";
import type { Actor, Differing } from "../messages/own-fields.ts";
import type { StoredPoll } from "./poll-rules.ts";
import { votesBy } from "./polls.store.ts";

const NAME = "poll";
const SPAN = "span:poll:update";

/** Returns the contents of `messages.card` for a message that shows a poll. */
export const cardOf = (poll: StoredPoll): string => JSON.stringify({ feature: { name: NAME, record: poll } });

/** Returns the poll that a message shows; undefined: it shows none, or is deleted. */
export function pollOf(row: MessageRow): StoredPoll | undefined {
  const feature = featureOf(row);
  return feature?.name === NAME ? (feature.record as StoredPoll) : undefined;
}

/** Returns a poll as on the wire; `mine` are the reader's own votes. */
export const pollRecord = (messageId: number, poll: StoredPoll, mine: readonly number[] | null): Poll => ({
  poll_id: messageId,
  ...poll,
  my_votes: mine === null ? null : [...mine],
});

/**
 * Shows the poll as it is now, with a durable event, in the transaction of the change and under the lock of the channel's
 * row. The log does not hold the poll: after a deletion or an erasure nothing is left there.
 */
export async function showPoll(
  ctx: AppContext,
  { message, channelSlug }: { message: MessageRow; channelSlug: string },
  poll: StoredPoll,
): Promise<void> {
  const card = cardOf(poll);
  await changeStored(ctx, message.id, { card });
  const row = { ...message, card };
  const span = { name: SPAN, about: { message_id: row.id } } as const;
  await appendSpan(ctx, row.channel_id, span, [eventOf(row.id, row)], { row, channelSlug });
}

/** Reads the log rows of polls: each is the poll as it is now, which is written once. */
export const pollReader: SpanReader = {
  name: SPAN,
  async read(_, spans) {
    const known = new Map<number, PublishedEvent>();
    return spans.map(({ about, subject }) => {
      const { message_id } = about as { message_id: number };
      const event = known.get(message_id) ?? eventOf(message_id, subject);
      known.set(message_id, event);
      return [event];
    });
  },
};

function eventOf(messageId: number, row: MessageRow | undefined): PublishedEvent {
  const feature = row === undefined ? undefined : featureOf(row);
  if (feature === undefined) return { event: "message:delete", fields: `"message_id":${messageId}` };
  return { event: "poll:update", fields: JSON.stringify(featureFields(messageId, feature)).slice(1, -1) };
}

/** Reads what a reader has chosen in the polls among these messages. Agents do not vote. */
export async function ownVotes(ctx: AppContext, reader: Actor, { featuredIds }: Differing) {
  if (reader.kind !== "user" || featuredIds.length === 0) return null;
  const votes = Map.groupBy(await votesBy(ctx.db, reader.id, featuredIds), ({ message_id }) => message_id);
  return ({ id, poll }: { id: number; poll?: Poll }): void => {
    if (poll !== undefined) poll.my_votes = (votes.get(id) ?? []).map(({ option_id }) => option_id);
  };
}
