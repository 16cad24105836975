import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { lockUser, type UserRow } from "../accounts.store.ts";
import { newToken, storedToken, tokenHash } from "../links/link-token.ts";
import { enqueueMail, mailSink, requireMail } from "../mails.ts";
import { forgetMailedLink } from "../reset-links/reset-links.store.ts";
import { isSuspended } from "../sessions/start-login.ts";
import { addressKey } from "./address-key.ts";
import * as store from "./addresses.store.ts";
import { hasConfirmed } from "./confirmed.ts";

/** How long a link can be used. */
const LIFETIME_MS = 24 * 3_600_000;

/**
 * Asks for the mail that confirms an address, in the transaction that gives it to the account. The answer to that act
 * must not depend on it.
 */
export const askToConfirm = (ctx: AppContext, userId: number, address: string): Promise<void> =>
  enqueueMail(ctx, { kind: "confirm_address", to: { userId, address } });

/**
 * Sends the mail again, because the user asks for it.
 * @throws mail_off, no_address, address_confirmed
 */
export async function askAgain(ctx: AppContext, caller: UserIdentity): Promise<void> {
  requireMail(ctx);
  await transact(ctx, async (ctx) => {
    const user = await lockUser(ctx.db, caller.userId);
    if (user === null || user.erased_at !== null) throw fail("session_required");
    if (user.email === null) throw fail("no_address");
    if ((await hasConfirmed(ctx, user)) && !(await mailSink.of(ctx).isStopped(ctx, user.email)))
      throw fail("address_confirmed");
    await askToConfirm(ctx, user.id, user.email);
  });
}

/** What a mail needs that confirms an address, or why it is not sent any more. */
export type ConfirmationLink = { user: UserRow; address: string; token: string } | { dropped: string };

/**
 * Makes the link that confirms an address, in place of the user's earlier one, if the account still has the address. Only
 * the hash of its token is stored. Runs in the transaction in which the mail is made.
 */
export async function makeConfirmationLink(
  ctx: AppContext,
  userId: number,
  address: string,
): Promise<ConfirmationLink> {
  const user = await lockUser(ctx.db, userId);
  if (user === null || user.erased_at !== null) return { dropped: "account deleted" };
  if (isSuspended(ctx, user)) return { dropped: "suspended" };
  if (user.email !== address) return { dropped: "the address was changed" };
  const token = newToken(ctx.clock);
  await store.putAddressLink(ctx.db, {
    user_id: userId,
    token_hash: tokenHash(token),
    address_key: addressKey(address),
    expires_at: ctx.clock.now() + LIFETIME_MS,
  });
  return { user, address, token };
}

/**
 * Confirms an address for the holder of a link, once. Of two accounts with one address, the first keeps it.
 * @throws confirm_link_expired (for every link that is not valid), address_in_use
 */
export async function confirmAddress(ctx: AppContext, token: string): Promise<{ username: string; email: string }> {
  const hash = storedToken(token);
  if (hash === null) throw fail("confirm_link_expired");
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const link = await store.findAddressLink(ctx.db, hash);
    if (link === null || link.expires_at <= now) throw fail("confirm_link_expired");
    // Locked: an address that is changed at the same time is confirmed before it, or not at all.
    const user = await lockUser(ctx.db, link.user_id);
    if (user === null || user.email === null || user.erased_at !== null || isSuspended(ctx, user))
      throw fail("confirm_link_expired");
    if (addressKey(user.email) !== link.address_key) throw fail("confirm_link_expired");
    await letGo(ctx, link.address_key, user.id);
    const row = { user_id: user.id, address_key: link.address_key, confirmed_at: now };
    // The link stays: it works when the other account has let the address go.
    if (!(await store.insertConfirmed(ctx.db, row))) throw fail("address_in_use");
    if (!(await store.takeAddressLink(ctx.db, hash))) throw fail("confirm_link_expired");
    await mailSink.find(ctx)?.reachable(ctx, user.email);
    publishControl(ctx, "user_changed", user.id);
    return { username: user.username, email: user.email };
  });
}

/** Frees an address whose holder has another one by now: the release before changes addresses without saying so here. */
async function letGo(ctx: AppContext, key: string, userId: number): Promise<void> {
  const holder = await store.holderOf(ctx.db, key);
  if (holder === null || holder.user_id === userId) return;
  // Locked: their address must not become this one again meanwhile.
  const user = await lockUser(ctx.db, holder.user_id);
  if (user === null || user.email === null || addressKey(user.email) !== key) {
    await store.forgetConfirmed(ctx.db, holder.user_id);
  }
}

/** Tells the address that an account has had that it has lost it: whoever reads there may not have done it. */
async function warnFormer(ctx: AppContext, { id, email }: UserRow): Promise<void> {
  if (email === null) return;
  const parameters = { notice: "email_changed", at: ctx.clock.now() };
  await enqueueMail(ctx, { kind: "security_notice", to: { userId: id, address: email }, parameters });
}

/**
 * Notes that an account's address was changed, in the transaction that changes it: the new one is to be confirmed, and the
 * old one learns of it if it was.
 */
export async function addressChanged(ctx: AppContext, before: UserRow, email: string | null): Promise<void> {
  const isSame = email !== null && before.email !== null && addressKey(email) === addressKey(before.email);
  if (email === before.email || (isSame && (await hasConfirmed(ctx, before)))) return;
  await store.forgetAddressLink(ctx.db, before.id);
  await forgetMailedLink(ctx.db, before.id);
  if (await hasConfirmed(ctx, before)) await warnFormer(ctx, before);
  await store.forgetConfirmed(ctx.db, before.id);
  if (email !== null) await askToConfirm(ctx, before.id, email);
}
