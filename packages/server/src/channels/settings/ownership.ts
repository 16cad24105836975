import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { lockAccount } from "../../accounts/erase/erase.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { banUnderLock } from "../bans/bans.ts";
import type { Channel } from "../channel.ts";
import { membershipChanged } from "../channel-cache.ts";
import { countOwned, findChannelById, findSuspension, updateChannelRow } from "../channels.store.ts";
import { findActor, insertMember, updateMember } from "../members/members.store.ts";
import { publishPlace } from "../members/notify-members.ts";

/**
 * Transfers a channel, whose row this transaction has locked, to that user, who need not be a member; the previous
 * owner stays as an admin. `channel` is the state in which the caller's rights were checked.
 * Errors: `user_not_found` (agents own nothing), `forbidden` (transferred in the meantime), `user_suspended`,
 * `member_banned`, `channel_limit_reached`.
 */
export async function handOver(ctx: AppContext, channel: Channel, username: string): Promise<void> {
  const heir = await findActor(ctx.db, username);
  if (heir?.kind !== "user") throw fail("user_not_found");
  const held = await findChannelById(ctx.db, channel.id);
  if (held?.ownerId !== channel.ownerId) throw fail("forbidden");
  if (heir.id === channel.ownerId) return;
  if (((await findSuspension(ctx.db, heir.id)) ?? 0) > ctx.clock.now()) throw fail("user_suspended");
  if ((await banUnderLock(ctx, channel.id, `u${heir.id}`)) !== null) throw fail("member_banned");
  await assertMayOwnOneMore(ctx, heir.id);
  const now = ctx.clock.now();
  if (channel.ownerId !== null) {
    await updateMember(ctx.db, channel.id, channel.ownerId, { role: "admin" });
    membershipChanged(ctx, channel.id, `u${channel.ownerId}`, { isRevocation: true });
  }
  await updateChannelRow(ctx.db, channel.id, { owner_id: heir.id }, now);
  const place = { channelId: channel.id, userId: heir.id, role: "owner" as const, joinedAt: now };
  if (!(await insertMember(ctx.db, place)))
    await updateMember(ctx.db, channel.id, heir.id, { role: "owner", muted_until: null });
  for (const userId of [channel.ownerId, heir.id]) if (userId !== null) await publishPlace(ctx, channel.id, userId);
  membershipChanged(ctx, channel.id, `u${heir.id}`);
}

/**
 * Lets the caller's transaction give a user one more channel. Locks the user's row: of two transactions that do so at
 * once, the second waits for the first and counts its channel too.
 * @throws channel_limit_reached
 */
export async function assertMayOwnOneMore(ctx: AppContext, userId: number): Promise<void> {
  await lockAccount(ctx, userId);
  if ((await countOwned(ctx.db, userId)) >= CHANNELS_PER_USER) throw fail("channel_limit_reached");
}
