import { storedToken } from "../../accounts/links/link-token.ts";
import { endDigests, ownPreferences } from "../../channels/preferences/preferences.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { userOfToken } from "../digests.store.ts";

/**
 * Ends the digests of the user whose mails have this token, whoever sends it. Idempotent. Returns false if the token is
 * none, or its account is gone.
 */
export async function unsubscribe(ctx: AppContext, token: string): Promise<boolean> {
  if (storedToken(token) === null) return false;
  return transact(ctx, async (ctx) => {
    const userId = await userOfToken(ctx.db, token);
    if (userId === undefined) return false;
    if ((await ownPreferences(ctx, userId)).digest !== "off") await endDigests(ctx, userId);
    return true;
  });
}
