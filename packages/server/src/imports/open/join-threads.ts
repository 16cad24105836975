import type { Db } from "../../db/db.ts";
import { idsIn, leaveThreads, outsideReplies } from "../../event-log/moved-history.ts";
import { addReplies, type Follower, followThreads } from "../../messages/threads/history.ts";

const PAGE = 1_000;
type Reply = Awaited<ReturnType<typeof outsideReplies>>[number];

/**
 * Adds the replies of a hidden channel to the threads of the channel to which they will move, behind `offset`. Those to
 * messages of a third channel become messages of the channel itself.
 */
export async function joinThreads(
  db: Db,
  { from, to, offset }: { from: number; to: number; offset: number },
): Promise<void> {
  for (let after = 0; ; ) {
    const page = await outsideReplies(db, from, after, PAGE);
    const roots = new Set(page.map(rootOf));
    const there = new Set(await idsIn(db, to, [...roots]));
    await leaveThreads(
      db,
      from,
      [...roots].filter((id) => !there.has(id)),
    );
    const replies = page
      .filter((reply) => there.has(rootOf(reply)) && reply.deleted_at === null)
      .map((reply) => ({ ...reply, seq: reply.seq + offset }));
    await addReplies(db, Map.groupBy(replies, rootOf));
    await followThreads(
      db,
      replies.flatMap((reply) => followerOf(reply, to)),
    );
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
  }
}

const rootOf = ({ thread_root_id }: Pick<Reply, "thread_root_id">): number => -(thread_root_id ?? 0);

const followerOf = (reply: Reply, channelId: number): Follower[] =>
  reply.user_id === null ? [] : [{ userId: reply.user_id, rootId: rootOf(reply), channelId, seq: reply.seq }];
