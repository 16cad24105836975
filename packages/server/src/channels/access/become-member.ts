import type { AppContext, RightCheck } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { assertNotBannedUnderLock } from "../bans/bans.ts";
import { type Channel, isOpen } from "../channel.ts";
import { membershipChanged } from "../channel-cache.ts";
import { findMembership, insertMember } from "../members/members.store.ts";
import { assertNotMuted } from "../members/mutes.ts";

/**
 * Makes the user a plain member; an existing member keeps their role. Returns whether anything changed. Locks the
 * channel's row, as a ban does, so that joins and bans are serialized. Errors: `channel_not_found`, `banned`.
 */
export function becomeMember(ctx: AppContext, channelId: number, userId: number): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    await assertNotBannedUnderLock(ctx, channelId, `u${userId}`);
    const joined = await insertMember(ctx.db, { channelId, userId, role: "member", joinedAt: ctx.clock.now() });
    if (joined) membershipChanged(ctx, channelId, `u${userId}`);
    return joined;
  });
}

/**
 * Joins a user who takes part in an open channel. A user who was muted when they left is still muted. `again` decides
 * again about what has let them in. It is remembered before the join, whose commit would otherwise forget what ended in
 * the channel meanwhile. Errors: `banned`, `muted`.
 */
export async function enter(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  again: RightCheck,
): Promise<void> {
  if (caller.kind !== "user" || !isOpen(channel)) return;
  ctx.act?.remember(again, channel.id);
  // One transaction: a caller who is refused must not have joined.
  await transact(ctx, async (ctx) => {
    await becomeMember(ctx, channel.id, caller.userId);
    // Read from the database: the cache predates the join.
    assertNotMuted(ctx, (await findMembership(ctx.db, channel.id, caller.userId))?.mutedUntil ?? null);
  });
}
