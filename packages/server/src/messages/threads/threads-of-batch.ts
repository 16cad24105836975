import type { AppContext } from "../../context.ts";
import type { AppError } from "../../errors.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { findMessages } from "../../event-log/rows.ts";
import { columnOf, summaryOf, withReplies } from "../../event-log/thread-summary.ts";
import { refusalOf } from "../append/check-reply.ts";
import type { Appended, Draft, OpenStep, StoredDraft } from "../append/draft.ts";
import { NOBODY } from "../mentions/resolve-mentions.ts";
import { updateMessage } from "../messages.store.ts";
import { type Follower, followAsReplier, followByOthers } from "./follows.store.ts";

/**
 * The threads that a batch of messages continues. Their roots are read under the lock of their channel's row, which every
 * change of a thread takes, so that a count never misses a reply.
 */
export class ThreadsOfBatch implements OpenStep {
  readonly #roots = new Map<number, MessageRow>();

  static async open(_: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ thread_root_id }) => thread_root_id !== null) ? new ThreadsOfBatch() : null;
  }

  async enter(ctx: AppContext, _: number, drafts: readonly Draft[]): Promise<void> {
    const rootIds = new Set(drafts.flatMap(({ thread_root_id }) => thread_root_id ?? []));
    if (rootIds.size === 0) return;
    for (const row of await findMessages(ctx.db, [...rootIds])) this.#roots.set(row.id, row);
  }

  /** Refuses a reply whose thread was locked, or whose root was deleted, after it was checked. */
  refusal({ thread_root_id, channel_id, mayReplyLocked }: Draft): AppError | null {
    return thread_root_id === null ? null : refusalOf(this.#roots.get(thread_root_id), channel_id, mayReplyLocked);
  }

  /** Stores what the roots say now, and who follows; gives each reply its root. */
  async write({ db }: AppContext, stored: readonly StoredDraft[]): Promise<void> {
    const replies = Map.groupBy(
      stored.flatMap(({ answer }) => (answer.row.thread_root_id === null ? [] : [answer])),
      ({ row }) => row.thread_root_id ?? 0,
    );
    for (const [rootId, answers] of replies) {
      const root = this.#roots.get(rootId);
      if (root === undefined) throw new Error("The root of a thread was not read before its replies were stored.");
      const rows = answers.map(({ row }) => row);
      const thread = columnOf(withReplies(summaryOf(root.thread), rows));
      await updateMessage(db, rootId, { thread });
      for (const answer of answers) answer.root = { id: rootId, thread };
    }
    await followAsReplier(db, [...replies.values()].flat().flatMap(repliersOf));
    await followByOthers(
      db,
      [...replies].flatMap(([rootId, answers]) => this.#invited(rootId, answers)),
    );
  }

  #invited(rootId: number, answers: readonly Appended[]): Follower[] {
    const root = this.#roots.get(rootId);
    const first = answers[0]?.row;
    if (root === undefined || first === undefined) return [];
    const author = root.user_id === null ? [] : [followerOf(first, root.user_id, root.seq)];
    return [...author, ...answers.flatMap(({ row, mentioned }) => mentionedFollowers(row, mentioned))];
  }
}

const followerOf = (
  reply: Pick<MessageRow, "channel_id" | "thread_root_id">,
  userId: number,
  seq: number,
): Follower => ({
  userId,
  rootId: reply.thread_root_id ?? 0,
  channelId: reply.channel_id,
  seq,
});

/** Those who reply have read the replies before their own. */
const repliersOf = ({ row }: Appended): Follower[] =>
  row.user_id === null ? [] : [followerOf(row, row.user_id, row.seq)];

/** Returns those whom a reply mentions, as followers to whom it is unread. */
export const mentionedFollowers = (reply: MessageRow, mentioned: Appended["mentioned"]): Follower[] =>
  mentioned === NOBODY || reply.thread_root_id === null
    ? []
    : mentioned.users.map(({ userId }) => followerOf(reply, userId, reply.seq - 1));
