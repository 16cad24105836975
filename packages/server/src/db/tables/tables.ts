import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type {
  LoginDevicesTable,
  ResetLinksTable,
  SecurityNoticesTable,
  UserBlocksTable,
  WalletChallengesTable,
} from "./accounts.ts";
import type { AgentPresenceTable, AgentsTable, ApiKeysTable, MentionsTable } from "./agents.ts";
import type { AgentBudgetsTable, AgentDemandsTable, AgentUsageTable } from "./budgets.ts";
import type { InteractionPressesTable, InteractionsTable, InteractionUsersTable, SigningKeysTable } from "./cards.ts";
import type {
  ChannelCursorsTable,
  ChannelsTable,
  DirectAgentsTable,
  DirectChannelsTable,
  SpentKeysTable,
  UserPreferencesTable,
} from "./channels.ts";
import type { AgentActivityTable, SocialClaimsTable, VerificationCodesTable } from "./claims.ts";
import type { LeasesTable, LoginFailuresTable, NodesTable, RateLimitsTable, WebFilesTable } from "./cluster.ts";
import type { FactorTables } from "./factors.ts";
import type { FileBlobsTable, FileRemovalsTable, FilesTable, FileUsageTable } from "./files.ts";
import type { IdentityTables } from "./identities.ts";
import type { MessagesTable } from "./messages.ts";
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
import type { ErasuresTable, RetiredNamesTable } from "./privacy.ts";
import type { ReactionsTable, ReportsTable } from "./reactions.ts";
import type { StickerFilesTable, StickersTable } from "./stickers.ts";
import type { StreamTables } from "./streams.ts";
import type { ThreadFollowsTable } from "./threads.ts";
import type { WebhookTables } from "./webhooks.ts";

/**
 * All tables, for both dialects: flags are 0/1, times epoch milliseconds, amounts decimal text, JSON is text; numbers
 * stay below 2^53.
 */
export interface Tables extends FactorTables, IdentityTables, NotificationTables, StreamTables, WebhookTables {
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
  agents: AgentsTable;
  api_keys: ApiKeysTable;
  agent_presence: AgentPresenceTable;
  agent_budgets: AgentBudgetsTable;
  agent_usage: AgentUsageTable;
  agent_demands: AgentDemandsTable;
  verification_codes: VerificationCodesTable;
  social_claims: SocialClaimsTable;
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

/** Every name that can be mentioned, users and agents in one namespace. `name_key`: lower case, spaces as `_`. */
export interface NamesTable {
  name_key: string;
  name: string;
  /**
   * The name's visual skeleton, which no two names share (unicode/skeleton.ts). null if an older name had it before
   * skeletons became unique.
   */
  skeleton: string | null;
  kind: "user" | "agent";
  user_id: number | null;
  agent_id: number | null;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  username_key: string;
  /** Not unique: two accounts may give the same address, and neither has verified it. */
  email: string | null;
  password_hash: string | null;
  evm_address: string | null;
  sol_address: string | null;
  /** When the user proved that the wallet is theirs; null if they have not. */
  evm_proven_at: Millis | null;
  sol_proven_at: Millis | null;
  admin_level: number | null;
  invite_code: string;
  invited_by: number | null;
  suspended_until: Millis | null;
  created_at: Millis;
  updated_at: Millis;
  /** When the account was deleted; its row is kept, nameless, because others refer to it. */
  erased_at: Millis | null;
}

export interface AvatarsTable {
  user_id: number;
  mime_type: string;
  etag: string;
  bytes: Uint8Array;
}

export interface SessionsTable {
  id: Generated<number>;
  /** SHA-256 of the cookie's token, hex. The token itself is not stored. */
  token_hash: string;
  user_id: number;
  created_at: Millis;
  /** When the password was last entered in this session (reauth, protocol §2). */
  authenticated_at: Millis;
  last_seen_at: Millis;
  /** Absolute expiry: 30 days after creation. Idle expiry is 7 days after `last_seen_at`. */
  expires_at: Millis;
  user_agent: string | null;
  address: string | null;
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

export interface ChannelMembersTable {
  channel_id: number;
  user_id: number;
  role: "owner" | "admin" | "member";
  muted_until: Millis | null;
  joined_at: Millis;
  /** Later messages by others are unread. */
  last_read_seq: Generated<number>;
  /** Which messages notify the user; null: those of their default (`user_preferences`). */
  notify_level: Generated<"all" | "mentions" | "none" | null>;
  is_muted: Generated<Flag>;
  is_favourite: Generated<Flag>;
  /** The section of the user's list that shows the channel. */
  section: Generated<string | null>;
}

/** Agents that were added to a channel (their only way into a private one without a password). */
export interface ChannelAgentsTable {
  channel_id: number;
  agent_id: number;
  added_by: number | null;
  muted_until: Millis | null;
  joined_at: Millis;
}

/**
 * Durable events other than `message:new` (which is its row in `messages`). `data` holds only what the event adds: an
 * event that carries a message is rebuilt with the message as it is now, so no log contains a deleted text. A row may
 * be a span (event-spans.ts).
 */
export interface ChannelEventsTable {
  channel_id: number;
  seq: number;
  event: string;
  message_id: number | null;
  data: string;
  created_at: Millis;
}
