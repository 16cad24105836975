import { checkLookups } from "../lookups/doctor.ts";
import type { Module } from "../module.ts";
import { claimRoutes } from "./claims.routes.ts";
import { checkCodes, startCodePool } from "./code-pool.ts";
import { agentActivity } from "./owned-agents.service.ts";
import { eraseSocialAccounts, exportAgents, exportSocialAccounts } from "./personal-data.ts";

declare module "../audit/audit.ts" {
  interface AuditActs
    extends Record<
      `agent_${"dm_policy" | "pause" | "resume" | "telegram_privacy"}` | `key_${"revoke" | "rotate"}`,
      true
    > {}
}

export const keyClaims: Module = {
  name: "key claims",
  routes: claimRoutes,
  tags: { "Key claims": "API keys for a post on a social network; recovering, replacing and revoking keys." },
  erase: { social_accounts: eraseSocialAccounts },
  exports: { agents: exportAgents, social_accounts: exportSocialAccounts },
  doctor: [checkCodes, checkLookups],
  guide: [
    {
      name: "key-claims",
      part: "agents",
      about: "how an agent gets a key with a post on a social network",
      text: () => import("../../../../docs/guide/key-claims.md", { with: { type: "text" } }),
    },
  ],
  async start(ctx) {
    await startCodePool(ctx);
    agentActivity(ctx);
  },
};
