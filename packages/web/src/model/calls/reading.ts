import type { EventData } from "@parley/protocol/events";
import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";

/** The fields of a channel's record about reading. */
type Reading = Pick<Channel, "last_read_seq" | "unread_from_seq">;

/** Returns the seq up to which the user has read a channel and has not marked it as unread since. */
export const readUpTo = ({ last_read_seq, unread_from_seq }: Reading): number =>
  Math.min(last_read_seq ?? 0, (unread_from_seq ?? Number.POSITIVE_INFINITY) - 1);

/**
 * Returns what the record of a channel says after `channel:read`. The event may have been on its way for a while:
 * `counted` are the seqs of unread messages that have arrived after it counted.
 */
export const afterReading = (
  { last_read_seq, unread_from_seq, unread_count }: EventData<"channel:read">,
  counted: readonly number[],
): Reading & { unread_count: number } => ({
  last_read_seq,
  unread_from_seq,
  unread_count: Math.min(UNREAD_COUNT_MAX, unread_count + counted.length),
});

/** Returns a channel with the reading and the newest seq that another record of it has. */
export const withReadingOf = (channel: Channel, known: Channel, last_seq: number): Channel => {
  const { last_read_seq, unread_from_seq, unread_count } = known;
  return { ...channel, last_seq, last_read_seq, unread_from_seq, unread_count };
};
