import { registrationSteps } from "../../accounts/registration-steps.ts";
import type { AppContext } from "../../context.ts";
import { membershipChanged } from "../channel-cache.ts";
import { GENERAL } from "../general.ts";
import { insertIntoOpenChannels } from "./newcomers.store.ts";

/** Makes new users members of #general, and of the public channel that their registration asks for. */
export function startNewcomers(ctx: AppContext): void {
  registrationSteps(ctx).add(joinFirstChannels);
}

/**
 * Runs in the transaction of the registration, so it happens once, and a user who leaves stays out. Takes no lock on the
 * channels' rows, which every send needs: a new user cannot be banned. Channels that are gone or not open are skipped.
 */
async function joinFirstChannels(ctx: AppContext, userId: number, channelSlug: string | null): Promise<void> {
  const slugs = channelSlug === null ? [GENERAL] : [GENERAL, channelSlug.toLowerCase()];
  const joined = await insertIntoOpenChannels(ctx.db, { slugs, userId, joinedAt: ctx.clock.now() });
  for (const channelId of joined) membershipChanged(ctx, channelId, `u${userId}`);
}
