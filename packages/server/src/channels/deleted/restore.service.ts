import type { AdminChannel } from "@parley/protocol/administration";
import { RESTORE_DAYS, SLUG_MAX } from "@parley/protocol/limits";
import { audit } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { appendEvent } from "../../event-log/events.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type OffsetQuery, pageByOffset } from "../../http/pages.ts";
import type { Channel } from "../channel.ts";
import { channelChanged } from "../channel-cache.ts";
import { channelFacts } from "../channel-json.ts";
import { findChannelById, oldestMessageIdOf, SYSTEM_OWNER, takenSlugs } from "../channels.store.ts";
import { memberCountOf } from "../members/members.store.ts";
import { notifyManagers, publishToRestoredMembers } from "../members/notify-members.ts";
import { effectiveDays, holdAt } from "../retention/retention.ts";
import { freeSlug } from "../settings/channel-name.ts";
import { assertMayOwnOneMore } from "../settings/ownership.ts";
import {
  type AdminChannelRow,
  type AnyChannelsFilter,
  listAnyChannels,
  lockAnyChannel,
  undeleteChannel,
} from "./deleted.store.ts";

/** How long a deleted channel can be restored, ms (protocol §3). */
export const RESTORE_MS = RESTORE_DAYS * 24 * 60 * 60 * 1000;
/** Room for `-2`, `-3`, … */
const SLUG_BASE_MAX = SLUG_MAX - 8;
/** More than one only if the slug is taken concurrently. */
const ATTEMPTS = 5;

/**
 * Restores a deleted channel with its members, history and owner, and notifies its members (`channel:added`). If its
 * slug is taken by now, a number is appended. The caller checks the rights.
 * Errors: `channel_not_found`, `channel_not_deleted`, `restore_expired`, `channel_limit_reached`.
 */
export async function restoreChannel(ctx: AppContext, caller: UserIdentity, id: number): Promise<Channel> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(ctx, (ctx) => restoreOnce(ctx, caller, id));
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function restoreOnce(ctx: AppContext, caller: UserIdentity, id: number): Promise<Channel> {
  const row = await lockAnyChannel(ctx.db, id);
  if (row === null) throw fail("channel_not_found");
  if (row.deleted_at === null) throw fail("channel_not_deleted");
  const now = ctx.clock.now();
  if (row.deleted_at <= now - RESTORE_MS) throw fail("restore_expired");
  if (row.owner_id !== null) await assertMayOwnOneMore(ctx, row.owner_id);
  const taken = await takenSlugs(ctx.db, row.slug.slice(0, SLUG_BASE_MAX));
  const slug = taken.has(row.slug) ? freeSlug(row.slug.slice(0, SLUG_BASE_MAX), taken) : row.slug;
  await undeleteChannel(ctx.db, id, slug, now);
  const channel = await findChannelById(ctx.db, id);
  if (channel === null) throw fail("channel_not_found");
  const counts = {
    memberCount: await memberCountOf(ctx.db, id),
    onlineCount: 0,
    lastSeq: row.last_seq + 1,
    oldestMessageId: await oldestMessageIdOf(ctx.db, id),
  };
  // Resuming clients receive this after the `channel:deleted`.
  await appendEvent(ctx, id, "channel:update", { data: { channel: channelFacts(ctx, channel, counts) } });
  await audit(ctx, caller, "channel_restore", `channel:${id}`, { channel_slug: slug });
  channelChanged(ctx, id);
  await notifyManagers(ctx, caller, channel, "channel_restored");
  ctx.afterCommit(() => {
    publishToRestoredMembers(ctx.root, id).catch((err) =>
      ctx.log.error({ err }, "notifying members of a restored channel failed"),
    );
  });
  return channel;
}

/** Returns a page of all channels, including deleted ones that can be restored. The caller checks the rights. */
export async function anyChannels(ctx: AppContext, query: OffsetQuery & AnyChannelsFilter) {
  const since = ctx.clock.now() - RESTORE_MS;
  const find = (page: { limit: number; offset: number }) => listAnyChannels(ctx.db, query, since, page);
  const { shown, ...rest } = await pageByOffset(query, find);
  return { channels: shown.map((row) => adminChannel(ctx, row)), ...rest };
}

function adminChannel(ctx: AppContext, row: AdminChannelRow): AdminChannel {
  const at = row.deleted_at;
  const heldUntil = holdAt(row.held_until, ctx.clock.now());
  return {
    id: row.id,
    name: row.name,
    channel_slug: row.slug,
    is_private: row.is_private === 1,
    owner_username: row.owner_username ?? SYSTEM_OWNER,
    last_seq: row.last_seq,
    created_at: isoTime(row.created_at),
    deleted_at: isoTimeOrNull(at),
    restorable_until: at === null ? null : isoTime(at + RESTORE_MS),
    effective_retention_days: effectiveDays(ctx.config, row.retention_days),
    held_until: isoTimeOrNull(heldUntil),
    hold_reason: heldUntil === null ? null : row.hold_reason,
  };
}
