import { makeOwner, type OwnerCreated } from "../accounts/operators-accounts.ts";
import type { AppContext } from "../context.ts";
import { deleteBan } from "./bans/bans.store.ts";
import { channelChanged, membershipChanged } from "./channel-cache.ts";
import { findChannelById, findChannelIdBySlug, updateChannelRow } from "./channels.store.ts";
import { insertMember, updateMember } from "./members/members.store.ts";

/** The slug of the initial channel, which new users join. */
export const GENERAL = "general";

/**
 * Makes an account of level 3, or promotes the existing one of that name; the first owner receives the channel `general`.
 * @throws invalid_username, weak_password, username_taken
 */
export const createOwner = (ctx: AppContext, username: string, password: string): Promise<OwnerCreated> =>
  makeOwner(ctx, username, password, giveGeneral);

/**
 * Gives the initial channel, `general`, to the first owner account, in the caller's transaction (protocol §3). Returns
 * its id; null if it already has an owner or is gone.
 */
async function giveGeneral(ctx: AppContext, userId: number): Promise<number | null> {
  const id = await findChannelIdBySlug(ctx.db, GENERAL);
  const general = id === null ? null : await findChannelById(ctx.db, id);
  if (general === null || general.ownerId !== null) return null;
  const now = ctx.clock.now();
  await updateChannelRow(ctx.db, general.id, { owner_id: userId }, now);
  await deleteBan(ctx.db, general.id, `u${userId}`);
  const joined = await insertMember(ctx.db, { channelId: general.id, userId, role: "owner", joinedAt: now });
  if (!joined) await updateMember(ctx.db, general.id, userId, { role: "owner", muted_until: null });
  channelChanged(ctx, general.id);
  membershipChanged(ctx, general.id, `u${userId}`);
  return general.id;
}
