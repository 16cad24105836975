import { EXPORT_VERSION } from "@parley/protocol/privacy";
import { ownSessions } from "../accounts/accounts.service.ts";
import { ownBlocks } from "../accounts/blocks/blocks.ts";
import { factorsForExport } from "../accounts/factors/authenticator-app.ts";
import { ownIdentities } from "../accounts/oidc/identities.ts";
import { passkeysOf } from "../accounts/passkeys/passkeys.ts";
import { readUser, visibleUser } from "../accounts/profiles/profiles.service.ts";
import { ownNotices } from "../accounts/security-notices/security-notices.ts";
import { devicesOf } from "../accounts/sessions/devices.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { ownPreferences } from "../channels/preferences/preferences.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { ownFiles } from "../files/files.service.ts";
import { jsonList, pagesOf } from "../http/answers/streamed.ts";
import type { UserIdentity } from "../http/identity.ts";
import { ownedAgents } from "../key-claims/owned-agents.service.ts";
import { userAccount } from "../ledger/account-names.ts";
import { type StatementLine, statementOf } from "../ledger/statement.ts";
import { ownMessages } from "../messages/history/all-messages.ts";
import { ownSubscriptions } from "../notifications/push/subscriptions.service.ts";
import { readHonor } from "../points/honor.service.ts";
import { listStickers } from "../stickers/stickers.service.ts";
import { ownWebhooks } from "../webhooks/own-webhooks.ts";
import * as store from "./export.store.ts";

const ROWS = 500;
/** Packets scanned at a time, which takes a few milliseconds. */
const PACKETS = 5_000;
const AGENTS = 100;

/**
 * Throws unless the caller exports their own data; others can read the profile. Errors: `user_not_found`, `forbidden`.
 */
export async function checkOwnExport(ctx: AppContext, caller: UserIdentity, username: string): Promise<void> {
  if ((await visibleUser(ctx, caller, username)).id !== caller.userId) throw fail("forbidden");
}

/**
 * Yields all stored data of the caller as the text of one JSON document (`UserExport`), in pieces. Lists of unbounded
 * length are read in pages, so memory does not grow with the account. Text by others is not included.
 */
export async function* userExport(ctx: AppContext, caller: UserIdentity): AsyncGenerator<string> {
  const counts: Record<string, number> = {};
  const { invite_count, ...honor } = await readHonor(ctx, { id: caller.userId });
  const user = { ...(await readUser(ctx, caller, caller.username)), ...honor, invited_users: invite_count };
  const head = { success: true, format: "parley-user-export", version: EXPORT_VERSION, exported_at: now(ctx), user };
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, pages] of Object.entries(listsOf(ctx, caller))) yield* jsonList(name, pages, counts);
  yield `,"counts":${JSON.stringify(counts)},"complete":true}`;
}

type Pages = AsyncIterable<readonly string[]>;

/** Returns the lists of the document, in its order; each is read only when it is reached. */
function listsOf(ctx: AppContext, caller: UserIdentity): Record<string, Pages> {
  const { userId, username } = caller;
  const one = (read: () => Promise<object[]>): Pages => texts(pagesOf(Number.MAX_SAFE_INTEGER, read));
  const many = <T extends object>(
    read: (db: AppContext["db"], page: store.PageAfter<T>) => Promise<T[]>,
    record: (row: T) => object,
  ): Pages =>
    texts(
      pagesOf(ROWS, (last: T | undefined) => read(ctx.db, { userId, last, limit: ROWS })),
      record,
    );
  return {
    sessions: one(() => ownSessions(ctx, caller)),
    devices: one(async () => (await devicesOf(ctx, userId)).map(withTimes)),
    identities: one(async () => (await ownIdentities(ctx, caller)).identities),
    second_factors: one(async () => [await factorsForExport(ctx, userId)]),
    passkeys: one(() => passkeysOf(ctx, userId)),
    security_notices: one(async () => (await ownNotices(ctx, caller, { include_dismissed: true, limit: 200 })).notices),
    blocks: one(() => ownBlocks(ctx, caller)),
    preferences: one(async () => [withTimes(await ownPreferences(ctx, userId))]),
    notifications: many(store.notificationsAfter, notificationRecord),
    push_subscriptions: one(async () =>
      (await ownSubscriptions(ctx, caller)).map(({ is_current: _, ...subscription }) => subscription),
    ),
    webhooks: one(() => ownWebhooks(ctx, userId)),
    memberships: many(store.membershipsAfter, (row) => membershipRecord(row, userId)),
    bans: one(async () => (await store.bansOf(ctx.db, userId)).map(withTimes)),
    agents: texts(agentPages(ctx, caller)),
    agent_notices: one(async () =>
      (await store.agentNoticesOf(ctx.db, userId)).map(({ notice, ...row }) => ({
        ...withTimes(row),
        ...(JSON.parse(notice ?? "{}") as object),
      })),
    ),
    social_accounts: one(async () => (await store.socialAccountsOf(ctx.db, userId)).map(withTimes)),
    stickers: one(async () => (await listStickers(ctx, caller, username)).stickers),
    files: texts(ownFiles(ctx, userId)),
    reactions: many(store.reactionsAfter, withTimes),
    threads: many(store.threadFollowsAfter, ({ root_id, is_following, ...row }) => ({
      message_id: root_id,
      following: is_following === 1,
      ...row,
    })),
    reports: many(store.reportsAfter, ({ id, ...row }) => ({ report_id: id, ...withTimes(row) })),
    red_packets: many(store.packetsAfter, ({ id, ...row }) => ({ packet_id: id, ...withTimes(row) })),
    claims: texts(claimPages(ctx, userId), ({ id, ...row }) => ({ claim_id: id, ...withTimes(row) })),
    payments: many(store.paymentsAfter, ({ id, ...row }) => ({ payment_id: id, ...withTimes(row) })),
    ledger: texts(ledgerPages(ctx, userId), ({ id, ...row }) => ({ entry_id: id, ...withTimes(row) })),
    messages: ownMessages(ctx, userId),
  };
}

async function* texts<T extends object>(
  pages: AsyncIterable<readonly T[]>,
  record: (row: T) => object = (row) => row,
): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map((row) => JSON.stringify(record(row)));
}

async function* agentPages(ctx: AppContext, caller: UserIdentity): AsyncGenerator<readonly object[]> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Awaited<ReturnType<typeof ownedAgents>> = await ownedAgents(ctx, caller, { limit: AGENTS, offset });
    yield page.agents;
    offset = page.next_offset;
  }
}

async function* claimPages(ctx: AppContext, userId: number): AsyncGenerator<store.ExportedClaim[]> {
  const last = await store.lastPacket(ctx.db);
  for (let after = 0; after < last; after += PACKETS) {
    yield await store.claimsOfPackets(ctx.db, userId, after, after + PACKETS);
  }
}

/** Yields the ledger lines of each currency in turn, newest first. */
async function* ledgerPages(ctx: AppContext, userId: number): AsyncGenerator<(StatementLine & { currency: string })[]> {
  const account = userAccount(userId);
  for (const currency of await store.currenciesOf(ctx.db, account)) {
    const read = (last: StatementLine | undefined) =>
      statementOf(ctx, { account, currency }, { before: last?.id, limit: ROWS });
    for await (const lines of pagesOf(ROWS, read)) yield lines.map((line) => ({ ...line, currency }));
  }
}

function membershipRecord(row: store.ExportedMembership, userId: number): object {
  const {
    slug,
    low_user_id,
    low_username,
    high_username,
    is_muted,
    is_favourite,
    purged_messages,
    purged_before,
    ...rest
  } = row;
  const other = low_user_id === userId ? high_username : low_username;
  return {
    ...withTimes(rest),
    is_muted: is_muted === 1,
    is_favourite: is_favourite === 1,
    channel_slug: slug,
    direct_with: low_user_id === null ? null : other,
    // Of the whole channel; the user's own messages are among them.
    retention: {
      removed_messages: purged_messages,
      removed_before: isoTimeOrNull(purged_before),
    },
  };
}

/** A notice's own ids replace those of a message, which it has not. */
function notificationRecord({ id, notice, ...row }: store.ExportedNotification): object {
  const more = notice === null ? {} : { channel_id: null, message_id: null, ...(JSON.parse(notice) as object) };
  return { notification_id: id, ...withTimes(row), ...more };
}

const now = (ctx: AppContext): string => isoTime(ctx.clock.now());

const isTime = (key: string): boolean => key.endsWith("_at") || key === "until" || key.endsWith("_until");

/** Converts the times of a row to their wire format. */
function withTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, isTime(key) && typeof value === "number" ? isoTime(value) : value]),
  );
}
