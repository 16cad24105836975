import type { Module } from "../../module.ts";
import { eraseFollows } from "./erase.ts";
import { exportFollows } from "./export.ts";
import { startThreadUpdates } from "./thread-updates.ts";
import { threadRoutes } from "./threads.routes.ts";

export const threads: Module = {
  name: "threads",
  routes: threadRoutes,
  tags: {
    Threads: "Replies to a message, who follows them, and locks.",
  },
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
  register: startThreadUpdates,
};
