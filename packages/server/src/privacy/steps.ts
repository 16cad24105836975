import {
  eraseBlocks,
  eraseChallenges,
  eraseDevices,
  eraseFactors,
  eraseInvitations,
  eraseNotices,
  eraseResetLinks,
} from "../accounts/erase/erase.ts";
import { eraseIdentities } from "../accounts/oidc/identities.ts";
import { eraseOwnership } from "../agents/erase.ts";
import { eraseActor, eraseAuditDetails } from "../audit/erase.ts";
import {
  eraseBans,
  eraseConversations,
  eraseConversationsWithAgents,
  eraseMemberships,
  erasePreferences,
} from "../channels/erase.ts";
import { type ErasingStep, namePattern } from "../erasure.ts";
import { eraseFiles } from "../files/erase.ts";
import { forgetAnswers } from "../http/idempotency.ts";
import { eraseSocialAccounts } from "../key-claims/erase.ts";
import { eraseCards } from "../messages/cards/erase.ts";
import { eraseEvents, eraseFollows, eraseMessages, eraseReports } from "../messages/erase.ts";
import { eraseReactions, eraseReasons } from "../messages/reactions/erase-reactions.ts";
import { eraseNotifications } from "../notifications/erase.ts";
import { erasePayments } from "../payments/erase.ts";
import { erasePayouts } from "../payouts/erase.ts";
import { erasePoints } from "../points/erase.ts";
import { erasePackets } from "../red-packets/erase.ts";
import { eraseStickerFiles, eraseStickers } from "../stickers/erase.ts";
import { eraseWebhooks } from "../webhooks/erase.ts";

/** Removes stored responses of idempotent requests, which are kept for a day. */
const eraseAnswers: ErasingStep = async (ctx, { userId, username }, { a: from }) => {
  const next = await forgetAnswers(ctx, `u${userId}`, namePattern(username), from);
  return next === null ? null : { a: next, b: 0 };
};

/**
 * The steps of erasing an account, in order. Every slice that stores data of users has an entry here. The names are
 * stored in the database, so they must not be changed.
 */
export const STEPS: readonly { readonly name: string; readonly erase: ErasingStep }[] = [
  { name: "memberships", erase: eraseMemberships },
  { name: "preferences", erase: erasePreferences },
  { name: "bans", erase: eraseBans },
  { name: "conversations", erase: eraseConversations },
  { name: "agent_conversations", erase: eraseConversationsWithAgents },
  { name: "invitations", erase: eraseInvitations },
  { name: "wallet_challenges", erase: eraseChallenges },
  { name: "blocks", erase: eraseBlocks },
  { name: "devices", erase: eraseDevices },
  { name: "reset_links", erase: eraseResetLinks },
  { name: "identities", erase: eraseIdentities },
  { name: "second_factors", erase: eraseFactors },
  { name: "security_notices", erase: eraseNotices },
  { name: "notifications", erase: eraseNotifications },
  { name: "webhooks", erase: eraseWebhooks },
  { name: "payouts", erase: erasePayouts },
  { name: "packets", erase: erasePackets },
  { name: "payments", erase: erasePayments },
  { name: "social_accounts", erase: eraseSocialAccounts },
  { name: "agents", erase: eraseOwnership },
  { name: "stickers", erase: eraseStickers },
  { name: "files", erase: eraseFiles },
  { name: "cards", erase: eraseCards },
  { name: "reactions", erase: eraseReactions },
  { name: "messages", erase: eraseMessages },
  { name: "thread_follows", erase: eraseFollows },
  { name: "sticker_files", erase: eraseStickerFiles },
  { name: "events", erase: eraseEvents },
  { name: "reasons", erase: eraseReasons },
  { name: "reports", erase: eraseReports },
  { name: "answers", erase: eraseAnswers },
  { name: "actor", erase: eraseActor },
  { name: "audit", erase: eraseAuditDetails },
  { name: "points", erase: erasePoints },
];
