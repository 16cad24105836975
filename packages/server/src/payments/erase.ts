import type { ErasingStep } from "../accounts/erased.ts";
import { forgetPayer } from "./erase.store.ts";

/** The wallets he paid with go; the payments stay, nameless. */
export const erasePayments: ErasingStep = async (ctx, { userId }) => {
  await forgetPayer(ctx.db, `u${userId}`);
  return null;
};
