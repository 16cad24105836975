import type { ErasingStep } from "../accounts/erased.ts";
import { forgetSocialAccounts } from "./erase.store.ts";

/**
 * The social accounts he proved to be his are forgotten, number and handle, so that one of them may claim a key again: never two keys at
 * once, for those of the old agent are ended. Before `eraseOwnership`, which forgets whose agents they were.
 */
export const eraseSocialAccounts: ErasingStep = async (ctx, { userId }) => {
  await forgetSocialAccounts(ctx.db, userId);
  return null;
};
