import { DELETED_USER } from "@parley/protocol/privacy";
import type { AppContext } from "../context.ts";
import type { ErasingStep } from "../erasure.ts";
import { fail } from "../errors.ts";
import { channelChanged, membershipChanged } from "./channel-cache.ts";
import {
  conversationsAfter,
  conversationsWithAgents,
  deleteConversation,
  disownChannels,
  endMemberships,
  forgetBans,
  leaveConversation,
  ownedChannels,
} from "./erase.store.ts";
import { forgetPreferences } from "./preferences/preferences.store.ts";

const CHANNELS = 100;

/**
 * Rejects an account deletion while the user owns channels: they must transfer or delete them first. Call in the
 * transaction that closes the account. Errors: `owns_channels`, with the channels in its details.
 */
export async function assertOwnsNoChannel(ctx: AppContext, userId: number): Promise<void> {
  const owned = await ownedChannels(ctx.db, userId);
  if (owned.length === 0) return;
  const channels = owned.map(({ id, slug, name }) => ({ channel_id: id, channel_slug: slug, name }));
  throw fail("owns_channels", { details: { channels } });
}

/** Ends all memberships. Channels the user had deleted, or received concurrently, become ownerless. */
export const eraseMemberships: ErasingStep = async (ctx, { userId }, from) => {
  for (const id of await disownChannels(ctx.db, userId)) channelChanged(ctx, id);
  const left = await endMemberships(ctx.db, userId, CHANNELS);
  for (const id of left) membershipChanged(ctx, id, `u${userId}`);
  return left.length < CHANNELS ? null : from;
};

/** Deletes the user's preferences; those for a channel end with the membership. */
export const erasePreferences: ErasingStep = async (ctx, { userId }) => {
  await forgetPreferences(ctx.db, userId);
  return null;
};

/** Deletes the user's bans, and their name on bans of others. */
export const eraseBans: ErasingStep = async (ctx, { userId, username }) => {
  for (const id of await forgetBans(ctx.db, userId, username, DELETED_USER)) membershipChanged(ctx, id, `u${userId}`);
  return null;
};

/**
 * Leaves each conversation to the other user, with the name `deleted-user`; one that both have left is deleted. Runs
 * after `eraseMemberships`.
 */
export const eraseConversations: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const found = await conversationsAfter(ctx.db, userId, after, CHANNELS);
  for (const { channel_id, low_user_id, low_username, high_username } of found) {
    const side = low_user_id === userId ? "low_closed_seq" : "high_closed_seq";
    const name = [low_username, high_username].sort().join(", ");
    await leaveConversation(ctx.db, channel_id, { side, name, now: ctx.clock.now() });
    channelChanged(ctx, channel_id);
  }
  return found.length < CHANNELS ? null : { a: found.at(-1)?.channel_id ?? 0, b: 0 };
};

/** Deletes the user's conversations with agents, because nobody else is in them. */
export const eraseConversationsWithAgents: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const found = await conversationsWithAgents(ctx.db, userId, after, CHANNELS);
  for (const { channel_id, agent_name } of found) {
    const name = [DELETED_USER, agent_name].sort().join(", ");
    await deleteConversation(ctx.db, channel_id, name, ctx.clock.now());
    channelChanged(ctx, channel_id);
  }
  return found.length < CHANNELS ? null : { a: found.at(-1)?.channel_id ?? 0, b: 0 };
};
