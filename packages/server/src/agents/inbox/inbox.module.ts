import type { Module } from "../../module.ts";
import { startBudgetNotices, startRemovalNotices } from "./agent-notices.ts";
import { inboxRoutes } from "./inbox.routes.ts";
import { startInboxSweep } from "./inbox-limits.ts";

export const inbox: Module = {
  name: "inbox",
  routes: inboxRoutes,
  register(ctx) {
    startRemovalNotices(ctx);
    startBudgetNotices(ctx);
  },
  start: startInboxSweep,
};
