import type { ErasingStep } from "../../erasure.ts";
import type { Module } from "../../module.ts";
import { exportFollows } from "./export.ts";
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
