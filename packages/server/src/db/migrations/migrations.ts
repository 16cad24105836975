import { house } from "./0001-house.ts";
import { points } from "./0002-points.ts";
import { stickers } from "./0003-stickers.ts";
import { reactions } from "./0004-reactions.ts";
import { reading } from "./0005-reading.ts";
import { search } from "./0006-search.ts";
import { moderation } from "./0007-moderation.ts";
import { claims } from "./0008-claims.ts";
import { packets } from "./0009-packets.ts";
import { payouts } from "./0010-payouts.ts";
import { wallets } from "./0011-wallets.ts";
import { privacy } from "./0012-privacy.ts";
import { payments } from "./0013-payments.ts";
import { settlements } from "./0014-settlements.ts";
import { statements } from "./0015-statements.ts";
import { packetClaims } from "./0016-packet-claims.ts";
import { keptMutes } from "./0017-kept-mutes.ts";
import { removedPaid } from "./0018-removed-paid.ts";
import { keptAgentMutes } from "./0019-kept-agent-mutes.ts";
import { packetReferences } from "./0020-packet-references.ts";
import { paymentAmounts } from "./0021-payment-amounts.ts";
import { codePurposes } from "./0022-code-purposes.ts";
import { accountSecurity } from "./0023-account-security.ts";
import { nameSkeletons } from "./0024-name-skeletons.ts";
import { earningLimits } from "./0025-earning-limits.ts";
import { cluster } from "./0026-cluster.ts";
import { preferences } from "./0027-preferences.ts";
import { inbox } from "./0028-inbox.ts";
import { directAgents } from "./0029-direct-agents.ts";
import { rooms } from "./0030-rooms.ts";
import { threads } from "./0031-threads.ts";
import { notifications } from "./0032-notifications.ts";
import { retention } from "./0033-retention.ts";
import { files } from "./0034-files.ts";
import { webhooks } from "./0035-webhooks.ts";
import { notices } from "./0036-notices.ts";
import { resetLinks } from "./0037-reset-links.ts";
import { budgets } from "./0038-budgets.ts";
import { storageKeys } from "./0039-storage-keys.ts";
import { cards } from "./0040-cards.ts";
import { streams } from "./0041-streams.ts";
import { webhookKeys } from "./0042-webhook-keys.ts";
import { identities } from "./0043-identities.ts";
import { secondFactors } from "./0044-second-factors.ts";
import { channelsToFind } from "./0045-channels-to-find.ts";
import { membersInOrder } from "./0046-members-in-order.ts";
import { fewOfMany } from "./0047-few-of-many.ts";
import { stateOfNodes } from "./0048-state-of-nodes.ts";
import { setupCodes } from "./0049-setup-codes.ts";
import { telegramBots } from "./0050-telegram-bots.ts";
import { inboxKinds } from "./0051-inbox-kinds.ts";
import { agentCommands } from "./0052-agent-commands.ts";
import { menus } from "./0053-menus.ts";
import { pinsAndKeyboards } from "./0054-pins-and-keyboards.ts";
import { agentSessions } from "./0055-agent-sessions.ts";
import { streamActivity } from "./0056-stream-activity.ts";
import { approvalRule } from "./0057-approval-rule.ts";
import { heldAgents } from "./0058-held-agents.ts";
import { site } from "./0059-site.ts";
import { unreadFrom } from "./0060-unread-from.ts";
import { displayNames } from "./0061-display-names.ts";
import { scheduled } from "./0062-scheduled.ts";
import { linkPreviews } from "./0063-link-previews.ts";
import { polls } from "./0064-polls.ts";
import { savedAndForwards } from "./0065-saved-and-forwards.ts";
import { reminders } from "./0066-reminders.ts";
import { here } from "./0067-here.ts";
import { emoji } from "./0068-emoji.ts";
import { voiceNotes } from "./0069-voice-notes.ts";
import { imports } from "./0070-imports.ts";
import { claimableAccounts } from "./0071-claimable-accounts.ts";
import { importedEmoji } from "./0072-imported-emoji.ts";
import { mail } from "./0073-mail.ts";
import { digests } from "./0074-digests.ts";
import { laterExports } from "./0075-later-exports.ts";
import type { Migration } from "./migration.ts";

/**
 * All migrations in order; the position in this list (from 1) is the schema's number. Append only: a published
 * migration is never edited, moved or removed. Imported by name so that a bundled executable contains them.
 */
export const MIGRATIONS: readonly Migration[] = [
  house,
  points,
  stickers,
  reactions,
  reading,
  search,
  moderation,
  claims,
  packets,
  payouts,
  wallets,
  privacy,
  payments,
  settlements,
  statements,
  packetClaims,
  keptMutes,
  removedPaid,
  keptAgentMutes,
  packetReferences,
  paymentAmounts,
  codePurposes,
  accountSecurity,
  nameSkeletons,
  earningLimits,
  cluster,
  preferences,
  inbox,
  directAgents,
  rooms,
  threads,
  notifications,
  retention,
  files,
  webhooks,
  notices,
  resetLinks,
  budgets,
  storageKeys,
  cards,
  streams,
  webhookKeys,
  identities,
  secondFactors,
  channelsToFind,
  membersInOrder,
  fewOfMany,
  stateOfNodes,
  setupCodes,
  telegramBots,
  inboxKinds,
  agentCommands,
  menus,
  pinsAndKeyboards,
  agentSessions,
  streamActivity,
  approvalRule,
  heldAgents,
  site,
  unreadFrom,
  displayNames,
  scheduled,
  linkPreviews,
  polls,
  savedAndForwards,
  reminders,
  here,
  emoji,
  voiceNotes,
  imports,
  claimableAccounts,
  importedEmoji,
  mail,
  digests,
  laterExports,
];
