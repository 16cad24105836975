import type { Module } from "../module.ts";
import { claimRoutes } from "./claims.routes.ts";
import { startCodePool } from "./code-pool.ts";
import { eraseSocialAccounts } from "./erase.ts";
import { exportAgents, exportSocialAccounts } from "./export.ts";
import { agentActivity } from "./owned-agents.service.ts";

export const keyClaims: Module = {
  name: "key claims",
  routes: claimRoutes,
  erase: { social_accounts: eraseSocialAccounts },
  exports: { agents: exportAgents, social_accounts: exportSocialAccounts },
  async start(ctx) {
    await startCodePool(ctx);
    agentActivity(ctx);
  },
};
