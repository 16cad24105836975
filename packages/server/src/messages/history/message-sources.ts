import type { Db } from "../../db/db.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { messagesAfter, messagesBefore } from "../../event-log/rows.ts";

/** Numbers of a channel that a page without replies looks through before it ends early. */
const COLLAPSE_LOOK_THROUGH = 5_000;

/** Messages next to each other in a source. */
export interface Stretch {
  rows: MessageRow[];
  /**
   * Where to read on if the source has not looked at everything and found fewer rows than wanted: before it the id of a
   * message, after it a seq. null: there are no more rows, or as many as wanted.
   */
  rest: number | null;
}

/** The messages that pages are made of, in the order of `seq`. */
export interface MessageSource {
  /** Returns up to `limit` messages before `seq` (exclusive), newest first. */
  before(seq: number, limit: number): Promise<Stretch>;
  /** Returns up to `limit` messages after `seq` (exclusive), oldest first. */
  after(seq: number, limit: number): Promise<Stretch>;
}

const whole = async (rows: Promise<MessageRow[]>): Promise<Stretch> => ({ rows: await rows, rest: null });

/** All messages of a channel. */
export const allMessages = (db: Db, channelId: number): MessageSource => ({
  before: (seq, limit) => whole(messagesBefore(db, channelId, seq, limit)),
  after: (seq, limit) => whole(messagesAfter(db, channelId, seq, limit)),
});

/**
 * The messages of a channel without the replies that only their threads show. It looks at the messages of a bounded number
 * of seqs at a time: any number of replies may be in a row, and no index knows which messages are none.
 */
export function withoutReplies(db: Db, channelId: number, lastSeq: number): MessageSource {
  const between = (low: number, high: number) =>
    db.selectFrom("messages").where("channel_id", "=", channelId).where("seq", ">=", low).where("seq", "<", high);
  const shownBetween = (low: number, high: number) =>
    between(low, high)
      .selectAll()
      .where((eb) => eb.or([eb("thread_root_id", "is", null), eb("also_in_channel", "=", 1)]));
  return {
    async before(seq, limit) {
      const low = Math.max(0, seq - COLLAPSE_LOOK_THROUGH);
      const rows = await shownBetween(low, seq).orderBy("seq", "desc").limit(limit).execute();
      if (rows.length === limit) return { rows, rest: null };
      const next = await between(0, low).select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
      if (next === undefined) return { rows, rest: null };
      const last = await between(low, seq).select("id").orderBy("seq").limit(1).executeTakeFirst();
      // If there is nothing but other events, it continues with the next message.
      return last === undefined ? this.before(next.seq + 1, limit) : { rows, rest: last.id };
    },
    async after(seq, limit) {
      const high = seq + 1 + COLLAPSE_LOOK_THROUGH;
      const rows = await shownBetween(seq + 1, high)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return { rows, rest: rows.length === limit || high > lastSeq ? null : high - 1 };
    },
  };
}

/** A thread: its root, then the replies. */
export function messagesOfThread(db: Db, root: MessageRow): MessageSource {
  const replies = () => db.selectFrom("messages").selectAll().where("thread_root_id", "=", root.id);
  return {
    async before(seq, limit) {
      const rows = await replies().where("seq", "<", seq).orderBy("seq", "desc").limit(limit).execute();
      if (rows.length < limit && root.seq < seq) rows.push(root);
      return { rows, rest: null };
    },
    async after(seq, limit) {
      const rows = await replies().where("seq", ">", seq).orderBy("seq").limit(limit).execute();
      return { rows: root.seq > seq ? [root, ...rows].slice(0, limit) : rows, rest: null };
    },
  };
}
