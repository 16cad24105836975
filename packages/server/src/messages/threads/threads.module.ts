import type { Module } from "../../module.ts";
import { eraseFollows } from "./erase.ts";
import { exportFollows } from "./export.ts";
import { startThreadUpdates } from "./thread-updates.ts";
import { threadRoutes } from "./threads.routes.ts";

export const threads: Module = {
  name: "threads",
  routes: threadRoutes,
  erase: { thread_follows: eraseFollows },
  exports: { threads: exportFollows },
  register: startThreadUpdates,
};
