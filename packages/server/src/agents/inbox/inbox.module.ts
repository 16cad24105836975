import { onBudget } from "../../budgets/budgets.ts";
import { onAgentRemoved } from "../../channels/members/removal.ts";
import type { Module } from "../../module.ts";
import { noteBudget, noteRemoval } from "./agent-notices.ts";
import { exportAgentNotices } from "./export.ts";
import { inboxRoutes } from "./inbox.routes.ts";
import { startInboxSweep } from "./inbox-limits.ts";

export const inbox: Module = {
  name: "inbox",
  routes: inboxRoutes,
  exports: { agent_notices: exportAgentNotices },
  register(ctx) {
    onAgentRemoved(ctx, noteRemoval);
    onBudget(ctx, noteBudget);
  },
  start: startInboxSweep,
};
