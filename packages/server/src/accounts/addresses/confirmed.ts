import type { AppContext } from "../../context.ts";
import type { ErasingStep } from "../../erasure.ts";
import { findUserById, type UserRow } from "../accounts.store.ts";
import { isEmail } from "../profiles/addresses.ts";
import { isSuspended } from "../sessions/start-login.ts";
import { addressKey } from "./address-key.ts";
import * as store from "./addresses.store.ts";

/** True if the user has confirmed the address that their account has now. */
export async function hasConfirmed(ctx: AppContext, user: Pick<UserRow, "id" | "email">): Promise<boolean> {
  return user.email !== null && (await store.confirmedKey(ctx.db, user.id)) === addressKey(user.email);
}

/** Returns the user who has confirmed this address and still has it; null: nobody. */
export async function confirmedUser(ctx: AppContext, address: string): Promise<number | null> {
  const key = addressKey(address);
  const holder = await store.holderOf(ctx.db, key);
  return holder?.email != null && addressKey(holder.email) === key ? holder.user_id : null;
}

/** A user to whom mail may be sent, and the address that they have confirmed. */
export interface Reachable {
  user: UserRow;
  address: string;
}

/**
 * Returns a user with their confirmed address, or why no mail may go to them: the account is deleted or suspended, or its
 * address is not confirmed.
 */
export async function reachableUser(ctx: AppContext, userId: number): Promise<Reachable | { dropped: string }> {
  const user = await findUserById(ctx.db, userId);
  if (user === null || user.erased_at !== null) return { dropped: "account deleted" };
  if (isSuspended(ctx, user)) return { dropped: "suspended" };
  if (user.email === null || !isEmail(user.email) || !(await hasConfirmed(ctx, user)))
    return { dropped: "not confirmed" };
  return { user, address: user.email };
}

/**
 * Returns a user with an address that they have confirmed and lost, which must learn of it, or why not: the account was
 * deleted since.
 */
export async function formerReader(
  ctx: AppContext,
  userId: number,
  address: string,
): Promise<Reachable | { dropped: string }> {
  const user = await findUserById(ctx.db, userId);
  return user === null || user.erased_at !== null ? { dropped: "account deleted" } : { user, address };
}

/** Removes the address that the user has confirmed, and the link of another one. */
export const eraseConfirmed: ErasingStep = async (ctx, { userId }) => {
  await store.forgetConfirmed(ctx.db, userId);
  await store.forgetAddressLink(ctx.db, userId);
  return null;
};

/** Removes links that have expired, and what the release before has left of deleted accounts. */
export const sweepConfirmations = (ctx: AppContext): Promise<void> => store.sweepAddresses(ctx.db, ctx.clock.now());
