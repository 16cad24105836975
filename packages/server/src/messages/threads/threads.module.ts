import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";
import type { ErasingStep } from "../../erasure.ts";
import type { Module } from "../../module.ts";
import { type PageAfter, pagedList } from "../../user-export.ts";
import { forgetFollows } from "./follows.store.ts";
import { followThreads } from "./thread-updates.ts";
import { threadRoutes } from "./threads.routes.ts";

declare module "../../audit/audit.ts" {
  interface AuditActs extends Record<`thread_${"lock" | "unlock"}`, true> {}
}

const FOLLOWS = 1_000;

/** Removes which threads the user follows. */
const eraseFollows: ErasingStep = async (ctx, { userId }, from) =>
  (await forgetFollows(ctx.db, userId, FOLLOWS)) < FOLLOWS ? null : from;

interface ExportedFollow {
  root_id: number;
  channel_id: number;
  is_following: number;
  last_read_seq: number;
  unread_from_seq: number | null;
}

function threadFollowsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedFollow>): Promise<ExportedFollow[]> {
  return db
    .selectFrom("thread_follows")
    .select(["root_id", "channel_id", "is_following", "last_read_seq", "unread_from_seq"])
    .where("channel_id", "not in", (hidden) =>
      hidden.selectFrom("channels").select("id").where("deleted_at", "=", HIDDEN_AT),
    )
    .where("user_id", "=", userId)
    .where("root_id", ">", last?.root_id ?? 0)
    .orderBy("root_id")
    .limit(limit)
    .execute();
}

const exportFollows = pagedList(threadFollowsAfter, ({ root_id, is_following, ...row }) => ({
  message_id: root_id,
  following: is_following === 1,
  ...row,
}));

export const threads: Module = {
  name: "threads",
  routes: threadRoutes,
  tags: { Threads: "Replies to a message, who follows them, and locks." },
  erase: { thread_follows: eraseFollows },
  exports: { threads: exportFollows },
  guide: [
    {
      name: "threads",
      part: "more",
      about: "replies in threads: sending, reading, following, locking",
      text: () => import("../../../../../docs/guide/threads.md", { with: { type: "text" } }),
    },
  ],
  register: followThreads,
};
