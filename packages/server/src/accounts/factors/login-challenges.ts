import type { DetailsOf } from "@parley/protocol/error-details";
import {
  CHALLENGE_SECONDS,
  CHALLENGE_TRIES,
  type SecondFactorBody,
  type SecondFactorMethod,
} from "@parley/protocol/factors";
import { RATES } from "@parley/protocol/limits";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { type AppError, fail } from "../../errors.ts";
import { limitSubject } from "../../http/connections/address.ts";
import { rateLimited } from "../../http/rates.ts";
import { lockUser, type UserRow } from "../accounts.store.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { type KnownDevice, knownDevice, type LoginOrigin } from "../sessions/devices.ts";
import { isSuspended, type LoggedIn, openSession } from "../sessions/start-login.ts";
import { requiresFactor } from "../ways-in.ts";
import { isTotpCode, recoveryHash, stepOf } from "./codes.ts";
import * as store from "./factors.store.ts";

/** Logins of one user that may wait for a second factor at once. */
const CHALLENGES_PER_USER = 10;

const hashOf = (id: string): string => Bun.SHA256.hash(id, "hex");

/** A challenge with another mark than the user's is older than the user's password. */
const markOf = ({ password_hash }: UserRow): string => Bun.SHA256.hash(password_hash ?? "", "hex");

/** The details of `second_factor_required`. */
type Challenge = DetailsOf<"second_factor_required">;

/**
 * Returns what a login with the right password still needs; null if nothing. Call it in the login's transaction, with
 * the user locked. Passkeys alone do not change a login with the password, unless the site requires a second factor:
 * somebody who adds one on a laptop can still use their phone.
 */
export async function challengeFor(ctx: AppContext, user: UserRow): Promise<Challenge | null> {
  const methods = methodsFor(ctx, user, await store.factorsOf(ctx.db, user.id));
  if (methods.length === 0) return null;
  const id = Buffer.from(ctx.clock.random(32)).toString("base64url");
  const now = ctx.clock.now();
  const expires_at = now + CHALLENGE_SECONDS * 1_000;
  const challenge = { id_hash: hashOf(id), user_id: user.id, password_mark: markOf(user), tries: 0, expires_at };
  await store.insertLoginChallenge(ctx.db, challenge, CHALLENGES_PER_USER, now);
  return { challenge_id: id, methods, expires_at: isoTime(expires_at) };
}

function methodsFor(
  { config }: AppContext,
  user: UserRow,
  { totpSince, recoveryCodes, passkeys }: store.Factors,
): SecondFactorMethod[] {
  const byPasskey: SecondFactorMethod[] = passkeys > 0 ? ["passkey"] : [];
  if (totpSince === null) return requiresFactor(config, user.admin_level) ? byPasskey : [];
  return ["totp", ...(recoveryCodes > 0 ? (["recovery_code"] as const) : []), ...byPasskey];
}

/**
 * Completes a login with the code of a second factor (protocol §13.9). A code counts once, also on two nodes at once.
 * @throws challenge_expired, wrong_code, account_suspended, rate_limited
 */
export async function answerChallenge(
  ctx: AppContext,
  { challenge_id, code }: SecondFactorBody,
  origin: LoginOrigin,
): Promise<LoggedIn> {
  const hash = hashOf(challenge_id);
  const challenge = await store.findLoginChallenge(ctx.db, hash);
  if (challenge === null || isOver(ctx, challenge)) throw expired();
  const known = await knownDevice(ctx, origin.deviceToken);
  const giveBack = await takeGuess(ctx, challenge.user_id, known);
  const outcome = await transact(ctx, async (ctx): Promise<LoggedIn | AppError> => {
    // The user first, as everywhere: a concurrent suspension or password change sees the session and ends it.
    const user = await lockUser(ctx.db, challenge.user_id);
    const tried = await store.takeTry(ctx.db, hash, CHALLENGE_TRIES, ctx.clock.now());
    if (user === null || tried === null || user.erased_at !== null || markOf(user) !== tried.password_mark)
      return expired();
    // Checked before the code, which the transaction uses up.
    if (isSuspended(ctx, user)) return fail("account_suspended");
    if (!(await useCode(ctx, user.id, code))) return refuseCode(ctx, tried, origin);
    await store.removeLoginChallenge(ctx.db, tried.id);
    return openSession(ctx, user, known, origin);
  });
  // Not thrown inside: the try counts.
  if (outcome instanceof Error) throw outcome;
  giveBack();
  return outcome;
}

const expired = (): AppError =>
  fail("challenge_expired", {
    message: "This login took too long, was completed, or had too many wrong codes. Log in again.",
  });

const isOver = (ctx: AppContext, { tries, expires_at }: store.LoginChallengeRow): boolean =>
  tries >= CHALLENGE_TRIES || expires_at <= ctx.clock.now();

/**
 * Takes a guess from the user's quota, which all their challenges share: somebody with the password can begin as many as
 * they like. A browser that has logged in before has a quota of its own, so that they cannot lock the owner out. Returns
 * what refunds it.
 */
async function takeGuess(ctx: AppContext, userId: number, device: KnownDevice | null): Promise<() => void> {
  const subject = device?.userId === userId ? `device ${device.id}` : `user ${userId}`;
  const decision = await ctx.limiter.take(RATES.wrongCodes, subject);
  if (!decision.allowed) throw rateLimited(decision);
  return () => ctx.limiter.giveBack(RATES.wrongCodes, subject);
}

/** Uses a code up, in the caller's transaction. False if it is wrong or was used before. */
async function useCode(ctx: AppContext, userId: number, code: string): Promise<boolean> {
  if (isTotpCode(code)) {
    const totp = await store.findTotp(ctx.db, userId);
    const step = totp === null ? null : stepOf(totp.secret, code, ctx.clock.now());
    return step !== null && (await store.useStep(ctx.db, userId, step));
  }
  if (!(await store.takeRecoveryCode(ctx.db, userId, recoveryHash(code)))) return false;
  const left = (await store.factorsOf(ctx.db, userId)).recoveryCodes;
  await notifyOwner(ctx, { userId, kind: "recovery_code_used", by: "self", details: { left } });
  return true;
}

/** Returns the error of a wrong code. The owner hears of the last one: somebody else may know their password. */
async function refuseCode(
  ctx: AppContext,
  { user_id: userId, tries }: store.LoginChallengeRow,
  { address }: LoginOrigin,
): Promise<AppError> {
  if (tries >= CHALLENGE_TRIES) {
    const details = { network: limitSubject(address) };
    await notifyOwner(ctx, { userId, kind: "second_factor_failed", by: "self", details });
  }
  return fail("wrong_code", { details: { tries_left: CHALLENGE_TRIES - tries } });
}
