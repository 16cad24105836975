import type { ErasingStep } from "../erasure.ts";
import { forgetSocialAccounts } from "./erase.store.ts";

/**
 * Deletes the social accounts (id and handle) the user proved to own, so that these can claim a key again. There are
 * never two keys at once, because those of the old agent have ended. Runs before `eraseOwnership`, which deletes whose
 * agents they were.
 */
export const eraseSocialAccounts: ErasingStep = async (ctx, { userId }) => {
  await forgetSocialAccounts(ctx.db, userId);
  return null;
};
