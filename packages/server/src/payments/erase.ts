import type { ErasingStep } from "../erasure.ts";
import { forgetPayer } from "./erase.store.ts";

/** Erases the wallets the user paid with; the payments stay, anonymous. */
export const erasePayments: ErasingStep = async (ctx, { userId }) => {
  await forgetPayer(ctx.db, `u${userId}`);
  return null;
};
