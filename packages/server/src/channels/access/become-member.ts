import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { assertNotBannedUnderLock } from "../bans/bans.ts";
import { membershipChanged } from "../channel-cache.ts";
import { insertMember } from "../members/members.store.ts";

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
