import { type RawBuilder, sql } from "kysely";

/**
 * The seq up to which a row of a member or of a follower counts as read: its mark, or what is before the message from
 * which on the user has marked everything as unread. `row`: the alias of the row.
 */
export function readUpTo(row: string): RawBuilder<number> {
  const [last, from] = [sql.ref(`${row}.last_read_seq`), sql.ref(`${row}.unread_from_seq`)];
  // The mark of unread is null in most rows, and then the condition is not true.
  return sql<number>`(case when ${from} <= ${last} then ${from} - 1 else ${last} end)`;
}

/**
 * What remains of a mark of unread when a user reads up to `seq`: nothing if they have read as far as ever before, and
 * otherwise what is after `seq`. A mark that they have not reached stays.
 */
export const unreadAfterReading = (seq: number): RawBuilder<number | null> => sql<number | null>`(case
  when unread_from_seq is null then null
  when unread_from_seq > ${seq} then unread_from_seq
  when last_read_seq > ${seq} then ${Math.min(seq, Number.MAX_SAFE_INTEGER - 1) + 1}
end)`;
