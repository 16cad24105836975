import type { Module } from "../module.ts";
import { claimRoutes } from "./claims.routes.ts";
import { startCodePool } from "./code-pool.ts";
import { eraseSocialAccounts } from "./erase.ts";
import { agentActivity } from "./owned-agents.service.ts";

export const keyClaims: Module = {
  name: "key claims",
  routes: claimRoutes,
  erase: { social_accounts: eraseSocialAccounts },
  async start(ctx) {
    await startCodePool(ctx);
    agentActivity(ctx);
  },
};
