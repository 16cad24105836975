import { onRegistration } from "../accounts/accounts.service.ts";
import { onClaim } from "../accounts/claimable/claimable.ts";
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
import { revokePaidMembership } from "./members/removal.ts";
import { joinAtClaim, joinFirstChannels } from "./newcomers.ts";

declare module "../audit/audit.ts" {
  interface AuditActs
    extends Record<
      | `channel_${"delete" | "hold" | "join" | "read" | "restore" | "update"}`
      | "approval_rule_set"
      | `member_${"ban" | "kick" | "unban" | "update"}`,
      true
    > {}
}

export const channels: Module = {
  name: "channels",
  routes: channelRoutes,
  tags: {
    Channels: "Channels, their members, bans and settings, direct conversations, and the caller's list of channels.",
  },
  erase: {
    memberships: eraseMemberships,
    preferences: erasePreferences,
    bans: eraseBans,
    conversations: eraseConversations,
    agent_conversations: eraseConversationsWithAgents,
  },
  exports: { preferences: exportPreferences, memberships: exportMemberships, bans: exportBans },
  guide: [
    {
      name: "direct-messages",
      part: "more",
      about: "conversations of two users, or of a user and an agent; blocking",
      text: () => import("../../../../docs/guide/direct-messages.md", { with: { type: "text" } }),
    },
    {
      name: "moderation",
      part: "more",
      about: "roles, mutes, bans, reports",
      text: () => import("../../../../docs/guide/moderation.md", { with: { type: "text" } }),
    },
  ],
  register(ctx) {
    onRevoked(ctx, revokePaidMembership);
    onRegistration(ctx, joinFirstChannels);
    onClaim(ctx, joinAtClaim);
  },
};
