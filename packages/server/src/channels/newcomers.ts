import { sql } from "kysely";
import { type AccountMade, makeAccount, makeOwner, type OwnerCreated } from "../accounts/operators-accounts.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { recordControl } from "../realtime/control/control.ts";
import { deleteBan } from "./bans/bans.store.ts";
import { channelChanged, membershipChanged } from "./channel-cache.ts";
import { findChannelById, findChannelIdBySlug, updateChannelRow } from "./channels.store.ts";
import { insertMember, updateMember } from "./members/members.store.ts";

/** The slug of the initial channel, which new users join. */
const GENERAL = "general";

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

/**
 * Makes an account that has joined #general, for the command line; without a password its user needs a reset link.
 * @throws invalid_username, weak_password, username_taken
 */
export const createAccount = (ctx: AppContext, username: string, password: string | null): Promise<AccountMade> =>
  makeAccount(ctx, username, password, async (ctx, userId) => {
    for (const channelId of await joinFirstChannels(ctx, userId, null)) {
      await recordControl(ctx.db, ctx.clock, "membership_changed", { channelId, member: `u${userId}` });
    }
  });

/**
 * Makes a new user a member of #general, and of the public channel that the registration asks for.
 * Runs in the transaction of the registration, so it happens once, and a user who leaves stays out. Takes no lock on the
 * channels' rows, which every send needs: nobody bans a user who is only registering. Channels that are gone or not open
 * are skipped.
 */
export async function joinFirstChannels(
  ctx: AppContext,
  userId: number,
  channelSlug: string | null,
): Promise<number[]> {
  const slugs = channelSlug === null ? [GENERAL] : [GENERAL, channelSlug.toLowerCase()];
  const joined = await insertIntoOpenChannels(ctx.db, { slugs, userId, joinedAt: ctx.clock.now() });
  for (const channelId of joined) membershipChanged(ctx, channelId, `u${userId}`);
  return joined;
}

/**
 * Makes the user of an account that an import made a member of #general, in the transaction of their first login
 * (protocol §14.5), unless they are one already or are banned there.
 */
export const joinAtClaim = (ctx: AppContext, userId: number): Promise<number[]> => joinFirstChannels(ctx, userId, null);

/**
 * Makes a new user a member of those of the channels that everyone may join, and returns the ids of those that they
 * joined. The user must be new, because this restores no mute.
 */
async function insertIntoOpenChannels(
  db: Db,
  member: { slugs: readonly string[]; userId: number; joinedAt: number },
): Promise<number[]> {
  const open = db
    .selectFrom("channels")
    .select((eb) => [
      "channels.id",
      eb.val(member.userId).as("user_id"),
      sql.lit("member").as("role"),
      eb.val(member.joinedAt).as("joined_at"),
      "channels.last_seq",
    ])
    .where("slug", "in", member.slugs)
    .where("deleted_at", "is", null)
    .where("is_private", "=", 0)
    .where("price", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("channel_bans as ban")
            .select("ban.channel_id")
            .whereRef("ban.channel_id", "=", "channels.id")
            .where("ban.user_id", "=", member.userId)
            .where((of) => of.or([of("ban.until", "is", null), of("ban.until", ">", member.joinedAt)])),
        ),
      ),
    );
  const rows = await db
    .insertInto("channel_members")
    .columns(["channel_id", "user_id", "role", "joined_at", "last_read_seq"])
    .expression(open)
    .onConflict((conflict) => conflict.doNothing())
    .returning("channel_id")
    .execute();
  return rows.map(({ channel_id }) => channel_id);
}
