import { isDeepStrictEqual } from "node:util";
import { type CreateChannelBody, UpdateChannelBody } from "@parley/protocol/channels";
import type { Channel as ChannelModel } from "@parley/protocol/models";
import { notify } from "../../accounts/notices.ts";
import { hashPassword } from "../../accounts/passwords/passwords.ts";
import { audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { appendEvent } from "../../event-log/events.ts";
import { hook } from "../../hook.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { checkPrice } from "../../payments/offers/offers.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { onlineCount } from "../../realtime/presence/user-list.ts";
import { manageableChannel, roleIn } from "../access/access.ts";
import { type Channel, type ChannelRef, isOpen } from "../channel.ts";
import { channelChanged, membershipChanged } from "../channel-cache.ts";
import { channelFacts, recordOf } from "../channel-json.ts";
import {
  type ChannelPatch,
  findChannelById,
  insertChannel,
  markChannelDeleted,
  type NewChannel,
  oldestMessageIdOf,
  takenSlugs,
  updateChannelRow,
} from "../channels.store.ts";
import { insertMember, memberCountOf } from "../members/members.store.ts";
import { notifyManagers } from "../members/notify-members.ts";
import { dismissAgents, shutOut } from "../members/removal.ts";
import { channelName, freeSlug, slugOf } from "./channel-name.ts";
import { changedColumns, isOwners } from "./channel-settings.ts";
import { assertMayOwnOneMore, handOver } from "./ownership.ts";

/**
 * Creates a channel owned by the caller. Errors: `invalid_channel_name`, `password_requires_private`, `invalid_price`,
 * `payments_not_configured`, `channel_limit_reached`, `slug_taken`.
 */
export async function createChannel(
  ctx: AppContext,
  caller: UserIdentity,
  input: CreateChannelBody,
): Promise<ChannelModel> {
  const name = channelName(input.name);
  if (input.price != null) checkPrice(ctx, input.price);
  const settings = { ...changedColumns(input), ...(await privacySettings(ctx, false, input)) };
  const slug = input.channel_slug ?? (await slugOf(name));
  const channel = await transact(ctx, async (ctx) => {
    await assertMayOwnOneMore(ctx, caller.userId);
    const now = ctx.clock.now();
    const made = { ...settings, name, slug, owner_id: caller.userId, created_at: now };
    const id = await insertWithSlug(ctx, made, input.channel_slug !== undefined);
    await insertMember(ctx.db, { channelId: id, userId: caller.userId, role: "owner", joinedAt: now });
    membershipChanged(ctx, id, caller.key);
    return findChannelById(ctx.db, id);
  });
  if (channel === null) throw fail("channel_not_found");
  const viewer = { userId: caller.userId, role: "owner" as const };
  const counts = { memberCount: 1, onlineCount: 0, lastSeq: 0, oldestMessageId: null };
  return recordOf(ctx, channel, counts, viewer, { lastReadSeq: 0, unreadFromSeq: null, unreadCount: 0 });
}

/** Fails if a requested slug is taken; a slug derived from the name gets a number instead. */
async function insertWithSlug(ctx: AppContext, channel: NewChannel, wasAskedFor: boolean): Promise<number> {
  for (let attempt = 0; attempt < (wasAskedFor ? 1 : SLUG_ATTEMPTS); attempt += 1) {
    const slug = wasAskedFor ? channel.slug : freeSlug(channel.slug, await takenSlugs(ctx.db, channel.slug));
    const id = await insertChannel(ctx.db, { ...channel, slug });
    if (id !== null) return id;
  }
  throw fail("slug_taken");
}

/** More than one only if the same name is created concurrently. */
const SLUG_ATTEMPTS = 5;

/**
 * Changes a channel's settings. `owner_username` transfers it; the previous owner stays as an admin. A channel made
 * public loses its password. Notifies everyone in the channel.
 * Errors: `no_fields`, those of `manageableChannel`, `invalid_channel_name`, `password_requires_private`, `slug_taken`,
 * `user_not_found`, `channel_limit_reached`, `member_banned`, `user_suspended` (the new owner).
 */
export async function updateChannel(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  input: UpdateChannelBody,
): Promise<Channel> {
  const { fields, channel } = await updatableChannel(ctx, caller, ref, input);
  // An unchanged name from before today's rules stays valid: forms send it along with other settings.
  const name = input.name === undefined || input.name === channel.name ? {} : { name: channelName(input.name) };
  const byLevel = await isByLevel(ctx, caller, channel, fields);
  if (input.price != null) checkPrice(ctx, input.price);
  const patch: ChannelPatch = {
    ...name,
    ...(input.channel_slug === undefined ? {} : { slug: input.channel_slug }),
    ...changedColumns(input),
    ...(await privacySettings(ctx, channel.isPrivate, input)),
  };
  const online = await onlineCount(ctx, channel.id);
  return transact(ctx, async (ctx) => {
    const { lastSeq } = await writeSettings(ctx, channel.id, patch);
    if (input.owner_username !== undefined) await handOver(ctx, channel, input.owner_username);
    const now = await findChannelById(ctx.db, channel.id);
    if (now === null) throw fail("channel_not_found");
    const facts = channelFacts(ctx, now, {
      memberCount: await memberCountOf(ctx.db, channel.id),
      onlineCount: online,
      lastSeq: lastSeq + 1,
      oldestMessageId: await oldestMessageIdOf(ctx.db, channel.id),
    });
    // Before the event: callers who lose access by this change must not receive it.
    if (now.agent_policy === "deny" && channel.agent_policy !== "deny") await dismissAgents(ctx, channel.id, "kicked");
    if (!isOpen(now) && isOpen(channel)) await shutOut(ctx, channel.id);
    await appendEvent(ctx, channel.id, "channel:update", { data: { channel: facts } });
    if (byLevel) {
      const heir = input.owner_username === undefined ? {} : { owner_username: now.ownerUsername };
      await audit(ctx, caller, "channel_update", `channel:${channel.id}`, { fields, ...heir });
    }
    if (!isDeepStrictEqual(now.approval_rule, channel.approval_rule)) {
      const details = { before: channel.approval_rule, after: now.approval_rule };
      await audit(ctx, caller, "approval_rule_set", `channel:${channel.id}`, details);
    }
    channelChanged(ctx, channel.id, { isRevocation: true });
    if (now.ownerId !== channel.ownerId) await notifyOwners(ctx, caller, { before: channel, now });
    return now;
  });
}

async function notifyOwners(
  ctx: AppContext,
  by: UserIdentity,
  { before, now }: Record<"before" | "now", Channel>,
): Promise<void> {
  const notice = { code: "role_changed", channel: now, by } as const;
  if (before.ownerId !== null) await notify(ctx, before.ownerId, { ...notice, detail: "admin" });
  if (now.ownerId !== null) await notify(ctx, now.ownerId, { ...notice, detail: "owner" });
}

/**
 * Returns the channel, and the names of the settings in the input, if the caller may change all of them. Errors:
 * `no_fields`, those of `manageableChannel`.
 */
export async function updatableChannel(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  input: UpdateChannelBody,
): Promise<{ fields: readonly string[]; channel: Channel }> {
  const fields = SETTINGS.filter((field) => input[field] !== undefined);
  if (fields.length === 0) throw fail("no_fields");
  return { fields, channel: await manageableChannel(ctx, caller, ref, needsOwner(fields) ? "owner" : "admin") };
}

const SETTINGS = Object.keys(UpdateChannelBody.properties) as (keyof UpdateChannelBody)[];

const needsOwner = (fields: readonly string[]): boolean => fields.some(isOwners);

/** True if the caller acts by their site level rather than their channel role; such acts are audited. */
async function isByLevel(
  ctx: AppContext,
  caller: UserIdentity,
  channel: Channel,
  fields: readonly string[],
): Promise<boolean> {
  const role = await roleIn(ctx, caller, channel);
  return role !== "owner" && (role !== "admin" || needsOwner(fields));
}

async function privacySettings(ctx: AppContext, before: boolean, input: UpdateChannelBody): Promise<ChannelPatch> {
  const isPrivate = input.is_private ?? before;
  if (typeof input.password === "string" && !isPrivate) throw fail("password_requires_private");
  const patch: ChannelPatch = {};
  if (input.is_private !== undefined) patch.is_private = isPrivate ? 1 : 0;
  if (!isPrivate || input.password === null) patch.password_hash = null;
  else if (input.password !== undefined) patch.password_hash = await hashPassword(ctx, input.password);
  return patch;
}

async function writeSettings(ctx: AppContext, channelId: number, patch: ChannelPatch): Promise<{ lastSeq: number }> {
  try {
    const counter = await updateChannelRow(ctx.db, channelId, patch, ctx.clock.now());
    if (counter === null) throw fail("channel_not_found");
    return counter;
  } catch (error) {
    if (isUniqueViolation(error)) throw fail("slug_taken");
    throw error;
  }
}

/**
 * Soft-deletes a channel: it disappears for everyone, and an administrator can restore it for 7 days.
 * Errors: those of `manageableChannel`, and of the registered checks: `open_red_packets`.
 */
export async function deleteChannel(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await manageableChannel(ctx, caller, ref, "owner");
  const role = await roleIn(ctx, caller, channel);
  await transact(ctx, async (ctx) => {
    await appendEvent(ctx, channel.id, "channel:deleted", {});
    for (const check of beforeDeletion.of(ctx)) await check(ctx, channel.id);
    if (!(await markChannelDeleted(ctx.db, channel.id, ctx.clock.now()))) throw fail("channel_not_found");
    if (role !== "owner") await audit(ctx, caller, "channel_delete", `channel:${channel.id}`, { name: channel.name });
    channelChanged(ctx, channel.id, { isRevocation: true });
    publishControl(ctx, "channel_deleted", channel.id);
    await dismissAgents(ctx, channel.id, "deleted");
    await notifyManagers(ctx, caller, channel, "channel_deleted");
  });
  return channel;
}

/**
 * Runs in the transaction that deletes a channel, under the lock of the channel's row. A check throws if the channel
 * must not be deleted.
 */
export const beforeDeletion = hook<(ctx: AppContext, channelId: number) => Promise<void>>();
