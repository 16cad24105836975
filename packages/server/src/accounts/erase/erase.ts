import { DELETED_USER } from "@parley/protocol/privacy";
import { COMMAND_LINE } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import type { ErasingStep } from "../../erasure.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR, hasLevel, OWNER } from "../../http/site-levels.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findUserById, findUserByName, lockUser, removeAvatar, type UserRow } from "../accounts.store.ts";
import { removeBlocks } from "../blocks/blocks.store.ts";
import { blocksChanged } from "../blocks/blocks.ts";
import { removeLoginChallenges, removeTotp } from "../factors/factors.store.ts";
import { deleteInvitationsOf } from "../invitations/invitations.store.ts";
import { publishRetiredName } from "../names/name-directory.ts";
import { nameKey } from "../names/names.ts";
import { isIdentitySession, removeIdentities } from "../oidc/identities.store.ts";
import { removePasskeys } from "../passkeys/passkeys.store.ts";
import { verifyPassword } from "../passwords/passwords.ts";
import { publishAvatarChange } from "../profiles/avatar-versions.ts";
import { REAUTH_MS } from "../profiles/profiles.service.ts";
import { forgetResetLinks } from "../reset-links/reset-links.store.ts";
import { removeNotices } from "../security-notices/security-notices.store.ts";
import { removeDevices } from "../sessions/devices.store.ts";
import { reauthenticationThrottle } from "../sessions/login-throttle.ts";
import { endUserSessions } from "../sessions/sessions.ts";
import { forgetShown } from "../shown/shown.ts";
import { forgetChallengesOf } from "../wallets/wallets.store.ts";
import { blankUser, countLevelLocking, disownInvited, retireName } from "./erase.store.ts";

const INVITED = 200;

/**
 * Returns the account that this caller may delete: their own, or for administrators one of a lower level.
 * @throws user_not_found, forbidden
 */
export async function erasableUser(ctx: AppContext, caller: UserIdentity, username: string): Promise<UserRow> {
  const user = await findUserByName(ctx.db, username);
  if (user === null) throw fail("user_not_found");
  if (!mayErase(caller, user)) throw fail("forbidden");
  return user;
}

function mayErase(caller: UserIdentity, user: UserRow): boolean {
  const ranksAbove = (caller.adminLevel ?? 0) > (user.admin_level ?? 0);
  return caller.userId === user.id || (ranksAbove && hasLevel(caller, ADMINISTRATOR));
}

/**
 * Requires the caller's password for the deletion of an account, however recent the login is. Callers who have none, or
 * who logged in by the provider, need a recent login instead. A wrong password counts as in `reauthenticate`.
 * @throws reauth_required, rate_limited, overloaded
 */
export async function requirePassword(
  ctx: AppContext,
  caller: UserIdentity,
  password: string | undefined,
): Promise<void> {
  const hash = (await findUserById(ctx.db, caller.userId))?.password_hash ?? null;
  if (password === undefined) {
    const isRecent = ctx.clock.now() - caller.authenticatedAt <= REAUTH_MS;
    if (isRecent && (hash === null || (await isIdentitySession(ctx.db, caller.sessionId)))) return;
    throw fail("reauth_required", { message: "Send your password to delete an account, or log in again." });
  }
  const guard = reauthenticationThrottle(ctx, caller.sessionId);
  if (await verifyPassword(ctx, password, hash, guard)) return;
  throw fail("reauth_required", { message: "The password is wrong.", details: { wrong: true } });
}

/**
 * Closes the account in the caller's transaction: it can no longer be logged in to or found by name, its sessions and
 * sockets end, and its personal fields are cleared. Returns the row as it was before.
 * @throws user_not_found, forbidden (promoted in the meantime), last_owner
 */
export async function closeAccount(
  ctx: AppContext,
  caller: UserIdentity | typeof COMMAND_LINE,
  userId: number,
): Promise<UserRow> {
  // Locked: a concurrent login either precedes this and is ended by it, or follows it and is refused.
  const user = await lockUser(ctx.db, userId);
  if (user === null || user.erased_at !== null) throw fail("user_not_found");
  if (caller !== COMMAND_LINE && !mayErase(caller, user)) throw fail("forbidden");
  if (user.admin_level === OWNER && (await countLevelLocking(ctx.db, OWNER)) <= 1) throw fail("last_owner");
  const now = ctx.clock.now();
  await blankUser(ctx.db, userId, DELETED_USER, now);
  await retireName(ctx.db, userId, user.username, now);
  await removeAvatar(ctx.db, userId);
  // At once, so that the person can make another account with it.
  await removeIdentities(ctx.db, userId);
  // Published while the user's channels are still known, so that clients showing the picture remove it.
  await publishAvatarChange(ctx, user, null);
  await forgetShown(ctx, user);
  await endUserSessions(ctx, userId);
  publishControl(ctx, "user_changed", userId);
  publishRetiredName(ctx, nameKey(user.username));
  return user;
}

/**
 * Locks an account in the caller's transaction, which stores something of it. Returns false if the account was deleted:
 * then nothing may be stored, because the steps of its erasure may be done.
 */
export async function lockAccount(ctx: AppContext, userId: number): Promise<boolean> {
  const user = await lockUser(ctx.db, userId);
  return user !== null && user.erased_at === null;
}

/** Removes the user's invitations, and the inviter of the users whom this user invited. */
export const eraseInvitations: ErasingStep = async (ctx, { userId }, from) => {
  await deleteInvitationsOf(ctx.db, userId);
  return (await disownInvited(ctx.db, userId, INVITED)) < INVITED ? null : from;
};

/** Removes the browsers in which the user has logged in. */
export const eraseDevices: ErasingStep = async (ctx, { userId }) => {
  await removeDevices(ctx.db, userId);
  return null;
};

/** Removes the link for the user, and those that the user made for others. */
export const eraseResetLinks: ErasingStep = async (ctx, { userId }) => {
  await forgetResetLinks(ctx.db, userId);
  return null;
};

/** Removes the authenticator app, its recovery codes, logins that wait for a code, and passkeys. */
export const eraseFactors: ErasingStep = async (ctx, { userId }) => {
  await removeTotp(ctx.db, userId);
  await removeLoginChallenges(ctx.db, userId);
  await removePasskeys(ctx.db, userId);
  return null;
};

/** Removes the account's security notices. Notices of other users keep the id of this account as their actor. */
export const eraseNotices: ErasingStep = async (ctx, { userId }) => {
  await removeNotices(ctx.db, userId);
  return null;
};

/** Removes the blocks by and against the user. */
export const eraseBlocks: ErasingStep = async (ctx, { userId }) => {
  for (const blockerId of [userId, ...(await removeBlocks(ctx.db, userId))]) blocksChanged(ctx, blockerId);
  return null;
};

/** Removes the wallet challenges of the user. */
export const eraseChallenges: ErasingStep = async (ctx, { userId }) => {
  await forgetChallengesOf(ctx.db, userId);
  return null;
};
