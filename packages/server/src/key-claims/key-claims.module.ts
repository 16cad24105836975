import type { Module } from "../module.ts";
import { claimRoutes } from "./claims.routes.ts";
import { startCodePool } from "./code-pool.ts";
import { agentActivity } from "./owned-agents.service.ts";

export const keyClaims: Module = {
  name: "key claims",
  routes: claimRoutes,
  async start(ctx) {
    await startCodePool(ctx);
    agentActivity(ctx);
  },
};
