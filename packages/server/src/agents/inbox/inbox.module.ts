import type { Module } from "../../module.ts";
import { startBudgetNotices, startRemovalNotices } from "./agent-notices.ts";
import { exportAgentNotices } from "./export.ts";
import { inboxRoutes } from "./inbox.routes.ts";
import { startInboxSweep } from "./inbox-limits.ts";

export const inbox: Module = {
  name: "inbox",
  routes: inboxRoutes,
  exports: { agent_notices: exportAgentNotices },
  register(ctx) {
    startRemovalNotices(ctx);
    startBudgetNotices(ctx);
  },
  start: startInboxSweep,
};
