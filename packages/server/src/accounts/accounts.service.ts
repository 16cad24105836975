import type { LoginBody, RegisterBody } from "@parley/protocol/accounts";
import type { Session } from "@parley/protocol/models";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { hook } from "../hook.ts";
import type { UserIdentity } from "../http/identity.ts";
import { grantInitialPoints } from "../points/initial-grant.ts";
import { payOrPostpone } from "../points/invitations.ts";
import { registrationNow } from "../site/site.ts";
import * as store from "./accounts.store.ts";
import { askToConfirm } from "./addresses/confirm-address.ts";
import { challengeFor } from "./factors/login-challenges.ts";
import { invitedWith, useInvitation } from "./invitations/invitations.ts";
import { newInviteCode, readInviteCode } from "./invitations/invite-code.ts";
import { forgetName } from "./names/name-directory.ts";
import { checkUsername, claimName, nameInTheWay, nameKey, nameTaken } from "./names/names.ts";
import { checkNewPassword, hashPassword, verifyPassword } from "./passwords/passwords.ts";
import { checkEmail } from "./profiles/addresses.ts";
import { knownDevice, type LoginOrigin } from "./sessions/devices.ts";
import { loginThrottle } from "./sessions/login-throttle.ts";
import { listSessions } from "./sessions/sessions.store.ts";
import { endSession, endUserSessions, SESSION_IDLE_MS } from "./sessions/sessions.ts";
import { isSuspended, type LoggedIn, openSession, startLogin } from "./sessions/start-login.ts";
import { mayUsePassword } from "./ways-in.ts";

/** Runs in the transaction that registers a user. `channelSlug` is the channel that the registration asks for, if any. */
export const onRegistration = hook<(ctx: AppContext, userId: number, channelSlug: string | null) => Promise<unknown>>();

/**
 * A registration. `registrar` is the user of the request's session, if any; their own invite code does not count as an
 * invitation.
 */
export type Registration = RegisterBody & LoginOrigin & { registrar?: number | null };

/**
 * Makes an account, runs the registration steps and logs it in (protocol §2). `made` runs in the same transaction.
 * @throws the errors of `admittedBy`, invalid_username, weak_password, invalid_email, username_taken, overloaded
 */
export async function register(
  ctx: AppContext,
  input: Registration,
  made?: (ctx: AppContext, userId: number) => Promise<void>,
): Promise<LoggedIn> {
  const { username, password } = input;
  const email = input.email ?? null;
  checkUsername(username);
  checkNewPassword(ctx, password, username);
  if (email !== null) checkEmail(email);
  await admittedBy(ctx, input.invite_code ?? null); // before hashing, which is expensive
  await assertNameFree(ctx, username);
  const passwordHash = await hashPassword(ctx, password);
  return transact(ctx, async (ctx) => {
    // Again: an administrator may have closed the site meanwhile, or suspended the inviter.
    const inviter = await admittedBy(ctx, input.invite_code ?? null);
    if (inviter !== null) await useInvitation(ctx, readInviteCode(input.invite_code ?? ""));
    const invitedBy = inviter === input.registrar ? null : inviter;
    const user = await createUser(ctx, { username, email, passwordHash, invitedBy, adminLevel: null });
    if (email !== null) await askToConfirm(ctx, user.id, email);
    for (const step of onRegistration.of(ctx)) await step(ctx, user.id, input.channel_slug ?? null);
    await made?.(ctx, user.id);
    return startLogin(ctx, user.id, null, input);
  });
}

/**
 * Returns the id of the user whose code the registration presents; null without a code.
 * @throws password_login_off, registration_closed, invite_code_required, and the errors of `findInviter`
 */
async function admittedBy(ctx: AppContext, code: string | null): Promise<number | null> {
  if (ctx.config.passwordLogin !== "on") throw fail("password_login_off");
  const registration = await registrationNow(ctx);
  if (registration === "closed") throw fail("registration_closed");
  if (code === null) {
    if (registration === "invite") throw fail("invite_code_required");
    return null;
  }
  const inviter = await findInviter(ctx, code);
  return inviter.id;
}

/**
 * Returns the name of the user who invites with this code, for people without an account.
 * @throws the errors of `findInviter`
 */
export async function readInvitation(ctx: AppContext, code: string): Promise<{ username: string }> {
  const inviter = await findInviter(ctx, code);
  return { username: inviter.username };
}

/**
 * Returns the user with this code, or the maker of the invitation with this code. Suspending a user also stops the
 * spread of their codes.
 * @throws invalid_invite_code, invitation_revoked, invitation_used_up, invitation_expired
 */
async function findInviter(ctx: AppContext, text: string): Promise<store.UserRow> {
  const code = readInviteCode(text);
  const invited = await invitedWith(ctx, code);
  const inviter = await (invited === null
    ? store.findUserByInviteCode(ctx.db, code)
    : store.findUserById(ctx.db, invited));
  if (inviter === null || inviter.erased_at !== null || isSuspended(ctx, inviter)) throw fail("invalid_invite_code");
  return inviter;
}

/** @throws username_taken */
async function assertNameFree(ctx: AppContext, username: string): Promise<void> {
  const other = await nameInTheWay(ctx.db, username);
  if (other !== null) throw nameTaken("username_taken", username, other);
}

/** The fields of a new account, whichever way it is made. */
export interface NewUser {
  username: string;
  email: string | null;
  passwordHash: string | null;
  invitedBy: number | null;
  adminLevel: number | null;
}

/**
 * Inserts an account in the caller's transaction, grants its initial points and credits its inviter. Of two concurrent
 * calls with the same name, one succeeds.
 * @throws username_taken
 */
export async function createUser(ctx: AppContext, user: NewUser): Promise<store.UserRow> {
  const now = ctx.clock.now();
  const row = await store.insertUser(ctx.db, {
    username: user.username,
    email: user.email,
    password_hash: user.passwordHash,
    evm_address: null,
    sol_address: null,
    admin_level: user.adminLevel,
    invite_code: newInviteCode(ctx.clock),
    invited_by: user.invitedBy,
    suspended_until: null,
    created_at: now,
    updated_at: now,
  });
  if (row === null) {
    await assertNameFree(ctx, user.username);
    throw new Error("a new user violates a unique column other than the name");
  }
  if (!(await claimName(ctx.db, user.username, { kind: "user", userId: row.id }))) {
    throw nameTaken("username_taken", user.username, await nameInTheWay(ctx.db, user.username));
  }
  ctx.afterCommit(() => forgetName(ctx, nameKey(user.username)));
  await grantInitialPoints(ctx, row.id);
  if (user.invitedBy !== null) await payInviter(ctx, user.invitedBy, row.id);
  return row;
}

/** Credits the inviter unless they are suspended. */
async function payInviter(ctx: AppContext, inviterId: number, userId: number): Promise<void> {
  const inviter = await store.findUserById(ctx.db, inviterId);
  if (inviter !== null && !isSuspended(ctx, inviter)) await payOrPostpone(ctx, inviterId, userId);
}

/**
 * Logs a user in by name and password, over HTTP or a socket. Every wrong guess is counted and gets the same answer in
 * the same time, whether or not the name exists (protocol §2). Only the right password reveals that a second factor is
 * due.
 * @throws password_login_off, invalid_credentials, account_suspended, second_factor_required, rate_limited, overloaded
 */
export async function login(ctx: AppContext, input: LoginBody & LoginOrigin): Promise<LoggedIn> {
  const { username, password } = input;
  if (ctx.config.passwordLogin === "off") throw fail("password_login_off");
  const known = await knownDevice(ctx, input.deviceToken);
  const user = await store.findUserByName(ctx.db, username);
  const deviceId = known !== null && known.userId === user?.id ? known.id : null;
  const guard = loginThrottle(ctx, { username, address: input.address, deviceId });
  await guard.before(); // checked again when the hash gets its turn: other guesses may have failed meanwhile
  const hash = user?.password_hash ?? null;
  const matches = await verifyPassword(ctx, password, hash, guard);
  if (user === null || !matches) throw fail("invalid_credentials");
  const outcome = await transact(ctx, async (ctx) => {
    // Locked, so that a concurrent suspension or password change sees this session and ends it.
    const current = await store.lockUser(ctx.db, user.id);
    // The password may have changed during verification; the old one must not start a session.
    if (current === null || current.erased_at !== null || current.password_hash !== hash)
      throw fail("invalid_credentials");
    // Only after the password, so that nobody else learns who is an owner.
    if (!mayUsePassword(ctx.config, current)) throw fail("password_login_off");
    if (isSuspended(ctx, current)) throw fail("account_suspended");
    return (await challengeFor(ctx, current)) ?? openSession(ctx, current, known, input);
  });
  if ("challenge_id" in outcome) throw fail("second_factor_required", { details: outcome });
  return outcome;
}

/** Ends the caller's session. */
export async function logout(ctx: AppContext, caller: UserIdentity): Promise<void> {
  await transact(ctx, (ctx) => endSession(ctx, caller.userId, caller.sessionId));
}

/** Lists the caller's sessions, last used first (protocol §1, §2). */
export async function ownSessions(ctx: AppContext, caller: UserIdentity): Promise<Session[]> {
  const now = ctx.clock.now();
  const rows = await listSessions(ctx.db, caller.userId, now, now - SESSION_IDLE_MS);
  return rows.map((row) => ({
    session_id: row.id,
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
    expires_at: isoTime(row.expires_at),
    user_agent: row.user_agent,
    address: row.address,
    current: row.id === caller.sessionId,
  }));
}

/**
 * Ends one of the caller's sessions. Other users' sessions are reported as not found.
 * @throws session_not_found
 */
export async function endOwnSession(ctx: AppContext, caller: UserIdentity, sessionId: number): Promise<void> {
  const ended = await transact(ctx, (ctx) => endSession(ctx, caller.userId, sessionId));
  if (!ended) throw fail("session_not_found");
}

/** Ends all of the caller's sessions except the current one, and closes their sockets. */
export const endOtherSessions = (ctx: AppContext, caller: UserIdentity): Promise<void> =>
  transact(ctx, (ctx) => endUserSessions(ctx, caller.userId, caller.sessionId));
