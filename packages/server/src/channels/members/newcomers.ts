import { type AccountMade, makeAccount } from "../../accounts/operators-accounts.ts";
import type { AppContext } from "../../context.ts";
import { recordControl } from "../../realtime/control/control.ts";
import { membershipChanged } from "../channel-cache.ts";
import { GENERAL } from "../general.ts";
import { insertIntoOpenChannels } from "./newcomers.store.ts";

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
 * channels' rows, which every send needs: a new user cannot be banned. Channels that are gone or not open are skipped.
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
