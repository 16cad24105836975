import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findUserById, lockUser, type UserRow, updateUser } from "../accounts.store.ts";
import { storedToken } from "../links/link-token.ts";
import { checkNewPassword, hashPassword } from "../passwords/passwords.ts";
import { knownDevice, type LoginOrigin } from "../sessions/devices.ts";
import { isSuspended, type LoggedIn, openSession } from "../sessions/start-login.ts";
import { mayUsePassword } from "../ways-in.ts";
import * as store from "./claimable.store.ts";
import { findUnclaimed } from "./unclaimed.ts";

/** An account that the holder of a link may claim. */
export interface ClaimableAccount {
  userId: number;
  username: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** False where PARLEY_PASSWORD_LOGIN asks for a single sign-on. */
  mayUsePassword: boolean;
}

/**
 * Returns the account of a link (protocol §14.5).
 * @throws claim_link_expired (for every link that is not valid), account_suspended
 */
export async function readClaimLink(ctx: AppContext, token: string): Promise<ClaimableAccount> {
  const hash = storedToken(token);
  const { user, link } = await checkLink(ctx, hash === null ? null : await store.findClaimLink(ctx.db, hash));
  const mayUse = mayUsePassword(ctx.config, user);
  return { userId: user.id, username: user.username, expiresAt: link.expires_at, mayUsePassword: mayUse };
}

/**
 * Uses a link up in the caller's transaction, and returns the user, whose row is locked. If the transaction fails, the
 * link stays valid. The caller gives the account a way in and opens its first session, which claims it.
 * @throws claim_link_expired, account_suspended
 */
export async function useClaimLink(ctx: AppContext, token: string): Promise<UserRow> {
  const hash = storedToken(token);
  // Of two claims at once, the second waits here for the first, and finds no link.
  const link = hash === null ? null : await store.takeClaimLink(ctx.db, hash);
  // Locked: a concurrent suspension or erasure either precedes this and is seen, or follows it and ends the session.
  if (link !== null) await lockUser(ctx.db, link.user_id);
  return (await checkLink(ctx, link)).user;
}

/**
 * Claims an account with a password, and logs it in.
 * @throws claim_link_expired, account_suspended, password_login_off, weak_password, overloaded
 */
export async function claimWithPassword(
  ctx: AppContext,
  { token, password }: { token: string; password: string },
  origin: LoginOrigin,
): Promise<LoggedIn> {
  const account = await readClaimLink(ctx, token); // before hashing, which is expensive
  if (!account.mayUsePassword) throw fail("password_login_off");
  checkNewPassword(ctx, password, account.username);
  const passwordHash = await hashPassword(ctx, password);
  const known = await knownDevice(ctx, origin.deviceToken);
  return transact(ctx, async (ctx) => {
    const user = await useClaimLink(ctx, token);
    if (!mayUsePassword(ctx.config, user)) throw fail("password_login_off");
    await updateUser(ctx.db, user.id, { password_hash: passwordHash }, ctx.clock.now());
    publishControl(ctx, "user_changed", user.id);
    return openSession(ctx, user, known, origin);
  });
}

/** A link ends when the account gets a way in by other means, such as a reset link. */
async function checkLink(
  ctx: AppContext,
  link: store.ClaimLinkRow | null,
): Promise<{ user: UserRow; link: store.ClaimLinkRow }> {
  if (link === null || link.expires_at <= ctx.clock.now()) throw fail("claim_link_expired");
  const user = await findUserById(ctx.db, link.user_id);
  if (user === null || user.erased_at !== null || user.password_hash !== null) throw fail("claim_link_expired");
  if (!(await findUnclaimed(ctx.db, user.id))) throw fail("claim_link_expired");
  if (isSuspended(ctx, user)) throw fail("account_suspended");
  return { user, link };
}
