import type { UpdateUserBody } from "@parley/protocol/accounts";
import { RATES } from "@parley/protocol/limits";
import type { OwnUser, PublicUser } from "@parley/protocol/models";
import { audit } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { decide } from "../../http/acts/act.ts";
import { assertSetUp, type Identity, type UserIdentity } from "../../http/identity.ts";
import { rateLimited } from "../../http/rates.ts";
import { ADMINISTRATOR, hasLevel, OWNER } from "../../http/site-levels.ts";
import { reencodePicture } from "../../media/picture-process.ts";
import { type Score, scoreOf } from "../../points/score.ts";
import { publishControl } from "../../realtime/control/control.ts";
import * as store from "../accounts.store.ts";
import { addressChanged } from "../addresses/confirm-address.ts";
import { hasConfirmed } from "../addresses/confirmed.ts";
import { findUnclaimed } from "../claimable/unclaimed.ts";
import { checkNewPassword, hashPassword, verifyPassword } from "../passwords/passwords.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { reauthenticationThrottle } from "../sessions/login-throttle.ts";
import { setAuthenticatedAt } from "../sessions/sessions.store.ts";
import { endUserSessions } from "../sessions/sessions.ts";
import { changeShown, readShownChange, shownFactsOf } from "../shown/shown.ts";
import { checkEmail, evmAddress, solAddress } from "./addresses.ts";
import { publishAvatarChange } from "./avatar-versions.ts";
import { type Avatar, inPictureTurn, readAvatar } from "./avatars.ts";

/** How long after a login the password is not required again for changes that could cost money or the account. */
export const REAUTH_MS = 10 * 60_000;

/** Returns a user as this caller may see them (protocol §2). */
export async function readUser(ctx: AppContext, caller: Identity, username: string): Promise<PublicUser | OwnUser> {
  const user = await visibleUser(ctx, caller, username);
  // The pipeline lets such a caller in for their own profile.
  if (!isSelf(caller, user)) assertSetUp(caller);
  const shown = await shownOf(ctx, user);
  return isSelf(caller, user) ? ownView(shown) : publicView(shown, hasLevel(caller, ADMINISTRATOR));
}

/**
 * Returns a user's picture; its bytes are null when the caller already has this version.
 * @throws user_not_found, avatar_not_found
 */
export async function readAvatarBytes(
  ctx: AppContext,
  caller: Identity,
  username: string,
  isKnown: (etag: string) => boolean,
): Promise<{ etag: string; picture: { mimeType: string; bytes: Uint8Array } | null }> {
  const user = await visibleUser(ctx, caller, username);
  const etag = await store.findAvatarEtag(ctx.db, user.id);
  if (etag !== null && isKnown(etag)) return { etag, picture: null };
  const avatar = etag === null ? null : await store.findAvatar(ctx.db, user.id);
  if (avatar === null) throw fail("avatar_not_found");
  return { etag: avatar.etag, picture: { mimeType: avatar.mime_type, bytes: avatar.bytes } };
}

/**
 * Returns the user of that name, for a caller who may read profiles.
 * @throws session_required, user_not_found
 */
export async function visibleUser(ctx: AppContext, caller: Identity, username: string): Promise<store.UserRow> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const user = await store.findUserByName(ctx.db, username);
  if (user === null) throw fail("user_not_found");
  return user;
}

const isSelf = (caller: Identity, user: store.UserRow): boolean => caller.kind === "user" && caller.userId === user.id;

/** The data from which a view of a user is built. */
interface Shown {
  user: store.UserRow;
  avatar: Uint8Array | null;
  score: Score;
  isOnline: boolean;
  isClaimed: boolean;
  /** Whether the address is confirmed. */
  isVerified: boolean;
  facts: Awaited<ReturnType<typeof shownFactsOf>>;
}

async function shownOf(ctx: AppContext, user: store.UserRow): Promise<Shown> {
  const avatar = await store.findAvatar(ctx.db, user.id);
  const isOnline = await ctx.presence.isUserOnline(user.id);
  const facts = await shownFactsOf(ctx, user.id);
  const isClaimed = !(await findUnclaimed(ctx.db, user.id));
  const isVerified = await hasConfirmed(ctx, user);
  const score = await scoreOf(ctx, user.id);
  return { user, avatar: avatar?.bytes ?? null, score, isOnline, isClaimed, isVerified, facts };
}

function publicView({ user, avatar, score, isOnline, isClaimed, facts }: Shown, full: boolean): PublicUser {
  return {
    username: user.username,
    email: full ? user.email : null,
    avatar: avatar === null ? null : Buffer.from(avatar).toString("base64"),
    ...facts,
    points: score.points,
    admin_level: user.admin_level,
    honor_level: score.honorLevel,
    evm_address: full ? user.evm_address : null,
    sol_address: full ? user.sol_address : null,
    evm_address_proven: full ? user.evm_address !== null && user.evm_proven_at !== null : null,
    sol_address_proven: full ? user.sol_address !== null && user.sol_proven_at !== null : null,
    is_online: isOnline,
    claimed: isClaimed,
    created_at: isoTime(user.created_at),
  };
}

/** Returns users' own view of themselves. @throws user_not_found */
export async function ownUser(ctx: AppContext, userId: number): Promise<OwnUser> {
  const user = await store.findUserById(ctx.db, userId);
  if (user === null) throw fail("user_not_found");
  return ownView(await shownOf(ctx, user));
}

function ownView(shown: Shown): OwnUser {
  return { ...publicView(shown, true), email_verified: shown.isVerified, invite_code: shown.user.invite_code };
}

const CHANGEABLE = ["email", "avatar", "display_name", "status", "evm_address", "sol_address", "password"] as const;

/**
 * Changes a profile (protocol §2). Allowed for the user and for administrators of a higher level: a lower one could
 * take over the account with a new password. Administrators' changes are written to the audit log.
 */
export async function updateUser(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  input: UpdateUserBody,
): Promise<OwnUser> {
  const fields = CHANGEABLE.filter((field) => input[field] !== undefined);
  if (fields.length === 0) throw fail("no_fields");
  // The password can be reset by mail, so a changed address needs it as well.
  const touchy = [input.password, input.email, input.evm_address, input.sol_address].some(
    (value) => value !== undefined,
  );
  ctx.act?.decideAtWrite();
  const user = await decide(ctx, caller, (ctx, caller) => updatableUser(ctx, caller, username, touchy));
  if (typeof input.avatar === "string") await countUpload(ctx, caller);

  const { change, avatar } = await readChange(ctx, caller, user, input);
  const shown = await readShownChange(ctx, caller, input);
  const isConfirmed = await reauthenticate(ctx, caller, input.current_password, touchy);
  if (input.password !== undefined) change.password_hash = await hashPassword(ctx, input.password, true);
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    await store.updateUser(ctx.db, user.id, change, now);
    if (avatar === null) await store.removeAvatar(ctx.db, user.id);
    else if (avatar !== undefined) {
      const { mimeType, etag, bytes } = avatar;
      await store.putAvatar(ctx.db, { user_id: user.id, mime_type: mimeType, etag, bytes });
    }
    if (avatar !== undefined) await publishAvatarChange(ctx, user, avatar?.etag ?? null);
    if (shown !== null) await changeShown(ctx, user, shown);
    if (isConfirmed) await setAuthenticatedAt(ctx.db, caller.sessionId, now);
    if (change.password_hash !== undefined)
      await endUserSessions(ctx, user.id, isSelf(caller, user) ? caller.sessionId : null);
    if (change.email !== undefined) await addressChanged(ctx, user, change.email);
    await notifyOfChange(ctx, caller, user, change);
    if (!isSelf(caller, user)) {
      await audit(ctx, caller, "user_update", `user:${user.id}`, { fields });
    }
    publishControl(ctx, "user_changed", user.id);
    if (isConfirmed && !isSelf(caller, user)) publishControl(ctx, "user_changed", caller.userId);
    return ownView(await shownOf(ctx, (await store.findUserById(ctx.db, user.id)) ?? user));
  });
}

/**
 * Returns the user, whom the caller may change; `touchy`: also what could take over the account. In a transaction their
 * row stays as it is. Errors: `user_not_found`, `forbidden`.
 */
async function updatableUser(
  ctx: AppContext,
  caller: Identity,
  username: string,
  touchy: boolean,
): Promise<store.UserRow> {
  const user = await store.heldUserByName(ctx.db, username);
  if (user === null) throw fail("user_not_found");
  if (caller.kind !== "user" || !mayUpdate(caller, user)) throw fail("forbidden");
  // An owner of the site cannot take over another owner's account; the command line can.
  if (touchy && !isSelf(caller, user) && !ranksAbove(caller, user)) throw fail("forbidden");
  return user;
}

/** Counts a picture as an upload, because decoding can take a second of CPU time. Errors: `rate_limited`. */
async function countUpload(ctx: AppContext, caller: UserIdentity): Promise<void> {
  const upload = await ctx.limiter.take(RATES.uploads, caller.key);
  if (!upload.allowed) throw rateLimited(upload);
}

function mayUpdate(caller: UserIdentity, user: store.UserRow): boolean {
  if (isSelf(caller, user) || hasLevel(caller, OWNER)) return true;
  return hasLevel(caller, ADMINISTRATOR) && ranksAbove(caller, user);
}

const ranksAbove = (caller: UserIdentity, user: store.UserRow): boolean =>
  (caller.adminLevel ?? 0) > (user.admin_level ?? 0);

/** Notifies the account's owner of security changes, including those made by an administrator (protocol §2). */
async function notifyOfChange(
  ctx: AppContext,
  by: UserIdentity,
  user: store.UserRow,
  { email, evm_address, sol_address, password_hash }: store.UserChange,
): Promise<void> {
  const about = { userId: user.id, by };
  if (password_hash !== undefined) await notifyOwner(ctx, { ...about, kind: "password_changed" });
  if (email !== undefined && email !== user.email) await notifyOwner(ctx, { ...about, kind: "email_changed" });
  for (const [chain, address, before] of [
    ["evm", evm_address, user.evm_address],
    ["solana", sol_address, user.sol_address],
  ] as const) {
    if (address === undefined || address === before) continue;
    await notifyOwner(ctx, { ...about, kind: "wallet_changed", details: { chain, address } });
  }
}

/** Validates the new values; `undefined` leaves a field unchanged, null clears it. */
async function readChange(
  ctx: AppContext,
  caller: UserIdentity,
  user: store.UserRow,
  input: UpdateUserBody,
): Promise<{ change: store.UserChange; avatar: Avatar | null | undefined }> {
  const { email, evm_address, sol_address } = input;
  if (typeof email === "string") checkEmail(email);
  if (input.password !== undefined) checkNewPassword(ctx, input.password, user.username);
  const change: store.UserChange = {
    email,
    evm_address: typeof evm_address === "string" ? await evmAddress(evm_address) : evm_address,
    sol_address: typeof sol_address === "string" ? await solAddress(sol_address) : sol_address,
  };
  const avatar = typeof input.avatar === "string" ? await readPicture(ctx, caller, input.avatar) : input.avatar;
  return { change, avatar };
}

const readPicture = (ctx: AppContext, caller: UserIdentity, text: string): Promise<Avatar> =>
  readAvatar(text, (...picture) => inPictureTurn(ctx, caller.userId, () => reencodePicture(...picture)));

/** Of `reauth_required`, when a password was sent: a page that sent none must not say that it is wrong. */
const WRONG_PASSWORD = { message: "current_password is wrong.", details: { wrong: true } } as const;

/**
 * Checks the password for a sensitive change: it must have been entered in the last ten minutes for a new password or
 * payout address. A wrong one is always refused, needed or not; a session has five attempts a minute.
 * @throws reauth_required, rate_limited
 */
export async function reauthenticate(
  ctx: AppContext,
  caller: UserIdentity,
  current_password: string | undefined,
  touchy: boolean,
): Promise<boolean> {
  if (current_password !== undefined) {
    const guard = reauthenticationThrottle(ctx, caller.sessionId);
    const hash = (await store.findUserById(ctx.db, caller.userId))?.password_hash ?? null;
    if (await verifyPassword(ctx, current_password, hash, guard)) {
      // What a new password ends must not have been confirmed with the old one.
      ctx.act?.rememberProof((ctx) => assertHash(ctx, caller.userId, hash));
      return true;
    }
    throw fail("reauth_required", WRONG_PASSWORD);
  }
  if (touchy && ctx.clock.now() - caller.authenticatedAt > REAUTH_MS) throw fail("reauth_required");
  return false;
}

async function assertHash(ctx: AppContext, userId: number, hash: string | null): Promise<void> {
  const user = await store.findUserById(ctx.db, userId);
  if (user?.password_hash !== hash) throw fail("reauth_required", WRONG_PASSWORD);
}
