import { THREAD_PARTICIPANTS_MAX } from "@parley/protocol/limits";
import type { Thread } from "@parley/protocol/threads";
import type { Selectable } from "kysely";
import { isoTime } from "../base/iso-time.ts";
import type { MessagesTable } from "../db/tables/messages.ts";

/** Somebody who replied, with the seq of their newest reply that is not deleted. */
export interface Replier {
  kind: "user" | "agent";
  name: string;
  seq: number;
}

/** What a message says about the replies to it: the contents of `messages.thread`. */
export interface ThreadSummary {
  /** Replies that are not deleted. */
  count: number;
  /** The newest reply that is not deleted. */
  last: { seq: number; at: number } | null;
  /** The newest first. */
  repliers: readonly Replier[];
  isLocked: boolean;
}

export type ReplyRow = Pick<Selectable<MessagesTable>, "seq" | "created_at" | "sender_type" | "sender_name">;

const NONE: ThreadSummary = { count: 0, last: null, repliers: [], isLocked: false };

/** Parses the column's text. */
export const summaryOf = (column: string | null): ThreadSummary =>
  column === null ? NONE : (JSON.parse(column) as ThreadSummary);

/** Returns the column's text; null if there is nothing to say. */
export const columnOf = (summary: ThreadSummary): string | null =>
  summary.count === 0 && !summary.isLocked ? null : JSON.stringify(summary);

/** Returns the record of the column, which is the same for all readers. */
export function threadOf(column: string | null): Thread | null {
  if (column === null) return null;
  const { count, last, repliers, isLocked } = summaryOf(column);
  return {
    reply_count: count,
    last_reply_at: last === null ? null : isoTime(last.at),
    last_reply_seq: last?.seq ?? null,
    participants: repliers.map(({ kind, name }) => ({ kind, name })),
    is_locked: isLocked,
    following: null,
    unread_count: null,
  };
}

/** Adds replies, oldest first, all newer than those before. */
export function withReplies(summary: ThreadSummary, replies: readonly ReplyRow[]): ThreadSummary {
  const newest = replies.at(-1);
  if (newest === undefined) return summary;
  return {
    ...summary,
    count: summary.count + replies.length,
    last: { seq: newest.seq, at: newest.created_at },
    repliers: firstOfEach([...replies.toReversed().flatMap(replierOf), ...summary.repliers]),
  };
}

/** Returns who wrote a reply; nobody if that is a webhook. */
export const replierOf = ({ sender_type, sender_name, seq }: ReplyRow): Replier[] =>
  sender_type === "system" ? [] : [{ kind: sender_type, name: sender_name, seq }];

/** Keeps the newest reply of each, and at most five. `repliers` are newest first. */
export function firstOfEach(repliers: readonly Replier[]): Replier[] {
  const known = new Map<string, Replier>();
  for (const replier of repliers) {
    const key = `${replier.kind} ${replier.name}`;
    if (!known.has(key)) known.set(key, replier);
    if (known.size === THREAD_PARTICIPANTS_MAX) break;
  }
  return [...known.values()];
}
