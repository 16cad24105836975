import type { Module } from "../module.ts";
import { onRevoked } from "../payments/recheck.ts";
import { channelRoutes } from "./channels.routes.ts";
import {
  eraseBans,
  eraseConversations,
  eraseConversationsWithAgents,
  eraseMemberships,
  erasePreferences,
} from "./erase.ts";
import { exportBans, exportMemberships, exportPreferences } from "./export.ts";
import { startNewcomers } from "./members/newcomers.ts";
import { revokePaidMembership } from "./members/removal.ts";

export const channels: Module = {
  name: "channels",
  routes: channelRoutes,
  erase: {
    memberships: eraseMemberships,
    preferences: erasePreferences,
    bans: eraseBans,
    conversations: eraseConversations,
    agent_conversations: eraseConversationsWithAgents,
  },
  exports: { preferences: exportPreferences, memberships: exportMemberships, bans: exportBans },
  register(ctx) {
    onRevoked(ctx, revokePaidMembership);
    startNewcomers(ctx);
  },
};
