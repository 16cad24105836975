import type { ResetPasswordBody } from "@parley/protocol/accounts";
import type { ResetLinkBody } from "@parley/protocol/administration";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findUserById, findUserByName, lockUser, type UserRow, updateUser } from "../accounts.store.ts";
import { newToken, storedToken, tokenHash } from "../links/link-token.ts";
import { checkNewPassword, hashPassword } from "../passwords/passwords.ts";
import { reauthenticate } from "../profiles/profiles.service.ts";
import { keepNotice, notifyOwner } from "../security-notices/security-notices.ts";
import { setAuthenticatedAt } from "../sessions/sessions.store.ts";
import { endUserSessions } from "../sessions/sessions.ts";
import { mayUsePassword } from "../ways-in.ts";
import * as store from "./reset-links.store.ts";

/** How long a link can be used. */
const LIFETIME_MS = 86_400_000;

/** A link to choose a new password. It is as good as the password, and only its hash is stored. */
export interface ResetLink {
  username: string;
  url: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** A link with another mark than the user's is older than the user's password. */
const markOf = ({ password_hash }: UserRow): string => Bun.SHA256.hash(password_hash ?? "", "hex");

const ranksAbove = (level: number | null, user: UserRow): boolean => (level ?? 0) > (user.admin_level ?? 0);

/**
 * What precedes `makeResetLink`, outside its transaction, because it takes a hash: an administrator who logged in long
 * ago confirms with their own password, as for setting a password.
 * @throws forbidden, user_not_found, password_login_off, reauth_required, rate_limited, overloaded
 */
export async function confirmResetLink(
  ctx: AppContext,
  by: UserIdentity,
  username: string,
  { current_password }: ResetLinkBody,
): Promise<void> {
  if (!hasLevel(by, ADMINISTRATOR)) throw fail("forbidden");
  assertMayReset(ctx, by, await findUserByName(ctx.db, username));
  await reauthenticate(ctx, by, current_password, true);
}

/**
 * Makes a link for a user of a lower level (protocol §13.0), after `confirmResetLink`. `origin`: the address of this
 * server. `isConfirmed`: the administrator has just shown their password.
 * @throws user_not_found, forbidden, password_login_off
 */
export async function makeResetLink(
  ctx: AppContext,
  by: UserIdentity,
  username: string,
  { origin, isConfirmed }: { origin: string; isConfirmed: boolean },
): Promise<ResetLink> {
  return transact(ctx, async (ctx) => {
    if (isConfirmed) {
      await setAuthenticatedAt(ctx.db, by.sessionId, ctx.clock.now());
      publishControl(ctx, "user_changed", by.userId);
    }
    const user = await findUserByName(ctx.db, username);
    assertMayReset(ctx, by, user);
    return issueLink(ctx, by, user, origin);
  });
}

function assertMayReset(ctx: AppContext, by: UserIdentity, user: UserRow | null): asserts user is UserRow {
  if (user === null) throw fail("user_not_found");
  if (by.userId === user.id || !ranksAbove(by.adminLevel, user)) throw fail("forbidden");
  if (!mayUsePassword(ctx.config, user)) throw fail("password_login_off");
}

/**
 * Makes a link for any user, for the command line.
 * @throws user_not_found
 */
export const makeOperatorsLink = (ctx: AppContext, username: string, origin: string): Promise<ResetLink> =>
  transact(ctx, async (ctx) => {
    const user = await findUserByName(ctx.db, username);
    if (user === null) throw fail("user_not_found");
    return issueLink(ctx, COMMAND_LINE, user, origin);
  });

/** Stores a link in the caller's transaction, in place of the user's earlier one. */
async function issueLink(
  ctx: AppContext,
  by: UserIdentity | typeof COMMAND_LINE,
  user: UserRow,
  origin: string,
): Promise<ResetLink> {
  const { token, expiresAt } = await storeLink(ctx, user, by === COMMAND_LINE ? null : by.userId, LIFETIME_MS);
  const details = { expires_at: isoTime(expiresAt) };
  await audit(ctx, by, "user_reset_link", `user:${user.id}`, details);
  const notice = { userId: user.id, kind: "reset_link_made", details } as const;
  if (by === COMMAND_LINE) await keepNotice(ctx, { ...notice, by: "operator" });
  else await notifyOwner(ctx, { ...notice, by });
  // The fragment is not sent to servers, so it is in no access log.
  return { username: user.username, url: `${origin}/reset#${token}`, expiresAt };
}

/**
 * Stores a link in the caller's transaction, in place of the user's earlier one. `issuerId`: who made it; null: the
 * operator; the user: they asked for it by mail.
 */
export async function storeLink(
  ctx: AppContext,
  user: UserRow,
  issuerId: number | null,
  lifetimeMs: number,
): Promise<{ token: string; expiresAt: number }> {
  // A mailed link must not take the place of one that an administrator makes at the same time.
  await lockUser(ctx.db, user.id);
  const token = newToken(ctx.clock);
  const now = ctx.clock.now();
  const expiresAt = now + lifetimeMs;
  await store.removeExpiredLinks(ctx.db, now);
  await store.putResetLink(ctx.db, {
    user_id: user.id,
    token_hash: tokenHash(token),
    password_mark: markOf(user),
    issuer_id: issuerId,
    created_at: now,
    expires_at: expiresAt,
  });
  return { token, expiresAt };
}

/**
 * Sets the password that the holder of a link chose, and ends all sessions of the user. Returns the user's name.
 * @throws reset_link_expired (for every link that is not valid), weak_password, overloaded
 */
export async function resetPassword(ctx: AppContext, { token, password }: ResetPasswordBody): Promise<string> {
  const hash = storedToken(token);
  if (hash === null) throw fail("reset_link_expired");
  const { user } = await checkLink(ctx, await store.findResetLink(ctx.db, hash));
  checkNewPassword(ctx, password, user.username);
  const passwordHash = await hashPassword(ctx, password);
  return transact(ctx, async (ctx) => {
    const link = await store.takeResetLink(ctx.db, hash);
    // Locked: a concurrent login either precedes this and is ended by it, or follows it with the new password.
    if (link !== null) await lockUser(ctx.db, link.user_id);
    const { user, issuer } = await checkLink(ctx, link);
    await updateUser(ctx.db, user.id, { password_hash: passwordHash }, ctx.clock.now());
    await endUserSessions(ctx, user.id);
    await audit(ctx, issuer ?? COMMAND_LINE, "user_reset", `user:${user.id}`);
    await notifyOwner(ctx, { userId: user.id, kind: "password_changed", by: "self" });
    publishControl(ctx, "user_changed", user.id);
    return user.username;
  });
}

/**
 * Returns the user of a link that is valid now, and who made it; null: the operator; the user: a mail brought it.
 * @throws reset_link_expired
 */
async function checkLink(ctx: AppContext, link: store.ResetLinkRow | null): Promise<ValidLink> {
  const valid = await validLink(ctx, link);
  if (valid === null) throw fail("reset_link_expired");
  return valid;
}

interface ValidLink {
  user: UserRow;
  issuer: UserRow | null;
}

/** A link is worth no more than its maker: it ends when they lose their level or the user reaches it, and when the user's password changes. */
async function validLink(ctx: AppContext, link: store.ResetLinkRow | null): Promise<ValidLink | null> {
  const now = ctx.clock.now();
  if (link === null || link.expires_at <= now) return null;
  const user = await findUserById(ctx.db, link.user_id);
  if (user === null || user.erased_at !== null || !mayUsePassword(ctx.config, user)) return null;
  if (markOf(user) !== link.password_mark) return null;
  if (link.issuer_id === null) return { user, issuer: null };
  if (link.issuer_id === user.id) return { user, issuer: user };
  const issuer = await findUserById(ctx.db, link.issuer_id);
  const isAdministrator = issuer !== null && (issuer.admin_level ?? 0) >= ADMINISTRATOR;
  if (!isAdministrator || (issuer.suspended_until ?? 0) > now || !ranksAbove(issuer.admin_level, user)) return null;
  return { user, issuer };
}

/** Returns whether the user has a link that works now and that somebody else made for them. Lock the user before. */
export async function hasLinkByOther(ctx: AppContext, userId: number): Promise<boolean> {
  const link = await store.linkOf(ctx.db, userId);
  return link?.issuer_id !== userId && (await validLink(ctx, link)) !== null;
}
