import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type {
  ErasuresTable,
  LoginDevicesTable,
  ResetLinksTable,
  RetiredNamesTable,
  SecurityNoticesTable,
  UserBlocksTable,
  WalletChallengesTable,
} from "./accounts.ts";
import type { AgentCommandsTable } from "./agent-commands.ts";
import type { AgentSessionsTable } from "./agent-sessions.ts";
import type { AgentPresenceTable, AgentsTable, ApiKeysTable, InboxKindsTable, MentionsTable } from "./agents.ts";
import type { AgentBudgetsTable, AgentDemandsTable, AgentUsageTable } from "./budgets.ts";
import type { InteractionPressesTable, InteractionsTable, InteractionUsersTable, SigningKeysTable } from "./cards.ts";
import type {
  ChannelAgentsTable,
  ChannelCursorsTable,
  ChannelEventsTable,
  ChannelMembersTable,
  ChannelsTable,
  DirectAgentsTable,
  DirectChannelsTable,
  SpentKeysTable,
  UserPreferencesTable,
} from "./channels.ts";
import type { ClaimableTables } from "./claimable-accounts.ts";
import type { AgentActivityTable, SocialClaimsTable, VerificationCodesTable } from "./claims.ts";
import type { LeasesTable, LoginFailuresTable, NodesTable, RateLimitsTable, WebFilesTable } from "./cluster.ts";
import type { DataClasses } from "./data-classes.ts";
import type { DigestTables } from "./digests.ts";
import type { EmojiTables } from "./emoji.ts";
import type { FactorTables } from "./factors.ts";
import type {
  FileBlobsTable,
  FileRemovalsTable,
  FilesTable,
  FileUsageTable,
  StickerFilesTable,
  StickersTable,
} from "./files.ts";
import type { IdentityTables } from "./identities.ts";
import type { ImportTables } from "./imports.ts";
import type { LinkPreviewTables } from "./link-previews.ts";
import type { MailTables } from "./mails.ts";
import type { KeyboardsTable, MenuPressesTable, MenusTable } from "./menus.ts";
import type { MessagesTable, ThreadFollowsTable } from "./messages.ts";
import type { ChannelBansTable, KeptAgentMutesTable, KeptMutesTable } from "./moderation.ts";
import type { NotificationTables } from "./notifications.ts";
import type { ChainReceiptsTable, PacketClaimsTable, PacketsTable } from "./packets.ts";
import type {
  PaidResourcesTable,
  PaymentChallengesTable,
  PaymentSettlementsTable,
  PaymentsTable,
  RemovedPaidResourcesTable,
} from "./payments.ts";
import type { PayoutAttemptsTable, PayoutDaysTable, PayoutLeaseTable, PayoutsTable } from "./payouts.ts";
import type {
  DailyEarningsTable,
  HonorTable,
  LedgerBalancesTable,
  LedgerEntriesTable,
  LedgerTransfersTable,
  PendingInvitationsTable,
} from "./points.ts";
import type { PollTables } from "./polls.ts";
import type { ReactionsTable, ReportsTable } from "./reactions.ts";
import type { RemindersTable } from "./reminders.ts";
import type { SavedTables } from "./saved.ts";
import type { ScheduledMessagesTable } from "./scheduled.ts";
import type { SetupCodesTable } from "./setup-codes.ts";
import type { ShownProfileTables } from "./shown-profiles.ts";
import type { SiteTables } from "./site.ts";
import type { StreamTables } from "./streams.ts";
import type { TelegramBotsTable } from "./telegram.ts";
import type { AvatarsTable, NamesTable, SessionsTable, UsersTable } from "./users.ts";
import type { WebhookTables } from "./webhooks.ts";

/**
 * All tables, for both dialects: flags are 0/1, times epoch milliseconds, amounts decimal text, JSON is text; numbers
 * stay below 2^53.
 */
export interface Tables
  extends FactorTables,
    IdentityTables,
    ClaimableTables,
    DigestTables,
    NotificationTables,
    SavedTables,
    PollTables,
    EmojiTables,
    ImportTables,
    LinkPreviewTables,
    MailTables,
    ShownProfileTables,
    SiteTables,
    StreamTables,
    WebhookTables {
  meta: MetaTable;
  control_log: ControlLogTable;
  nodes: NodesTable;
  leases: LeasesTable;
  rate_limits: RateLimitsTable;
  login_failures: LoginFailuresTable;
  web_files: WebFilesTable;
  audit_log: AuditLogTable;
  names: NamesTable;
  retired_names: RetiredNamesTable;
  users: UsersTable;
  erasures: ErasuresTable;
  avatars: AvatarsTable;
  wallet_challenges: WalletChallengesTable;
  sessions: SessionsTable;
  login_devices: LoginDevicesTable;
  reset_links: ResetLinksTable;
  security_notices: SecurityNoticesTable;
  user_blocks: UserBlocksTable;
  user_preferences: UserPreferencesTable;
  ledger_transfers: LedgerTransfersTable;
  ledger_entries: LedgerEntriesTable;
  ledger_balances: LedgerBalancesTable;
  honor: HonorTable;
  daily_earnings: DailyEarningsTable;
  pending_invitations: PendingInvitationsTable;
  idempotency_keys: IdempotencyKeysTable;
  channels: ChannelsTable;
  channel_members: ChannelMembersTable;
  channel_agents: ChannelAgentsTable;
  channel_bans: ChannelBansTable;
  kept_mutes: KeptMutesTable;
  kept_agent_mutes: KeptAgentMutesTable;
  channel_events: ChannelEventsTable;
  channel_cursors: ChannelCursorsTable;
  spent_keys: SpentKeysTable;
  direct_agents: DirectAgentsTable;
  direct_channels: DirectChannelsTable;
  messages: MessagesTable;
  stickers: StickersTable;
  sticker_files: StickerFilesTable;
  thread_follows: ThreadFollowsTable;
  interactions: InteractionsTable;
  interaction_users: InteractionUsersTable;
  interaction_presses: InteractionPressesTable;
  signing_keys: SigningKeysTable;
  files: FilesTable;
  file_blobs: FileBlobsTable;
  file_removals: FileRemovalsTable;
  file_usage: FileUsageTable;
  reactions: ReactionsTable;
  reports: ReportsTable;
  mentions: MentionsTable;
  inbox_kinds: InboxKindsTable;
  menus: MenusTable;
  keyboards: KeyboardsTable;
  menu_presses: MenuPressesTable;
  telegram_bots: TelegramBotsTable;
  agents: AgentsTable;
  api_keys: ApiKeysTable;
  agent_presence: AgentPresenceTable;
  agent_commands: AgentCommandsTable;
  agent_sessions: AgentSessionsTable;
  reminders: RemindersTable;
  scheduled_messages: ScheduledMessagesTable;
  agent_budgets: AgentBudgetsTable;
  agent_usage: AgentUsageTable;
  agent_demands: AgentDemandsTable;
  verification_codes: VerificationCodesTable;
  social_claims: SocialClaimsTable;
  setup_codes: SetupCodesTable;
  agent_activity: AgentActivityTable;
  packets: PacketsTable;
  packet_claims: PacketClaimsTable;
  chain_receipts: ChainReceiptsTable;
  payouts: PayoutsTable;
  payout_attempts: PayoutAttemptsTable;
  payout_lease: PayoutLeaseTable;
  payout_days: PayoutDaysTable;
  payment_challenges: PaymentChallengesTable;
  payments: PaymentsTable;
  payment_settlements: PaymentSettlementsTable;
  paid_resources: PaidResourcesTable;
  removed_paid_resources: RemovedPaidResourcesTable;
}

/** One row per fact about the database itself: `epoch` (incarnation of the data), `schema`. */
export interface MetaTable {
  key: string;
  value: string;
}

/** Actions of another process (the command line, another node) that this one must learn of within 2 s. Append-only. */
export interface ControlLogTable {
  id: Generated<number>;
  kind: string;
  subject: string;
  created_at: Millis;
}

/** Administrative acts, append-only. */
export interface AuditLogTable {
  id: Generated<number>;
  actor: string;
  action: string;
  subject: string;
  details: string | null;
  created_at: Millis;
}

/** Responses to creating POSTs, kept for 24 h (protocol §0). */
export interface IdempotencyKeysTable {
  actor_key: string;
  key: string;
  route: string;
  body_hash: string;
  /** null while the first request is running. */
  status: number | null;
  response: string | null;
  created_at: Millis;
}

export const dataClasses: DataClasses = {
  meta: { erased: { keep: "key value" } },
  control_log: { erased: { keep: "id kind subject created_at" } },
  audit_log: { erased: { actor: "actor", audit: "details", keep: "id action subject created_at" } },
  idempotency_keys: { erased: { delete: "actor_key", keep: "key route body_hash status response created_at" } },
};
