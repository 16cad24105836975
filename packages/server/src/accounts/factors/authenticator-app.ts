import type { ConfirmBody, SecondFactorState, TotpResponse } from "@parley/protocol/factors";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { siteName } from "../../site/site.ts";
import { lockUser } from "../accounts.store.ts";
import { reauthenticate } from "../profiles/profiles.service.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { setAuthenticatedAt } from "../sessions/sessions.store.ts";
import { endUserSessions } from "../sessions/sessions.ts";
import { requiresFactor } from "../ways-in.ts";
import { newRecoveryCodes, newSecret, otpauthUrl, qrSvg, recoveryHash, stepOf } from "./codes.ts";
import * as store from "./factors.store.ts";

/** How long a secret waits for its first code. */
const SETUP_MS = 15 * 60_000;

/** Returns the caller's factors. `passkeysAvailable`: whether passkeys work at the address of the request. */
export async function readFactors(
  ctx: AppContext,
  caller: UserIdentity,
  passkeysAvailable: boolean,
): Promise<SecondFactorState> {
  const { totpSince, recoveryCodes, passkeys } = await store.factorsOf(ctx.db, caller.userId);
  return {
    required: requiresFactor(ctx.config, caller.adminLevel),
    setup_required: caller.lacksFactor,
    totp_since: isoTimeOrNull(totpSince),
    recovery_codes_left: recoveryCodes,
    passkeys,
    passkeys_available: passkeysAvailable,
  };
}

/** Returns what is stored of a user's factors, without their secrets, for the export of their data. */
export async function factorsForExport(ctx: AppContext, userId: number): Promise<object> {
  const { totpSince, recoveryCodes } = await store.factorsOf(ctx.db, userId);
  const totp_since = isoTimeOrNull(totpSince);
  return { totp_since, recovery_codes_left: recoveryCodes };
}

/**
 * Requires the password for a change of how the user logs in, unless they logged in recently.
 * @throws reauth_required, rate_limited, overloaded
 */
export async function confirmPassword(
  ctx: AppContext,
  caller: UserIdentity,
  { current_password }: ConfirmBody,
): Promise<void> {
  if (!(await reauthenticate(ctx, caller, current_password, true))) return;
  await transact(ctx, async (ctx) => {
    await setAuthenticatedAt(ctx.db, caller.sessionId, ctx.clock.now());
    publishControl(ctx, "user_changed", caller.userId);
  });
}

/**
 * Makes a secret for an authenticator app. It counts from its first code on (`confirmApp`).
 * @throws totp_enabled and the errors of `confirmPassword`
 */
export async function beginApp(
  ctx: AppContext,
  caller: UserIdentity,
  body: ConfirmBody,
): Promise<Omit<TotpResponse, "success">> {
  await confirmPassword(ctx, caller, body);
  const secret = newSecret(ctx.clock);
  const now = ctx.clock.now();
  const row = { user_id: caller.userId, secret, last_step: -1, created_at: now, confirmed_at: null };
  if (!(await transact(ctx, (ctx) => store.putTotp(ctx.db, row)))) throw fail("totp_enabled");
  const url = otpauthUrl(secret, await siteName(ctx), caller.username);
  return { secret, otpauth_url: url, qr_svg: qrSvg(url), expires_at: isoTime(now + SETUP_MS) };
}

/**
 * Turns the authenticator app on with its first code, and returns the recovery codes. All other sessions end: they began
 * with the password alone.
 * @throws totp_enabled, totp_setup_expired, wrong_code
 */
export async function confirmApp(ctx: AppContext, caller: UserIdentity, code: string): Promise<string[]> {
  const { userId } = caller;
  return transact(ctx, async (ctx) => {
    await lockUser(ctx.db, userId);
    const totp = await store.findTotp(ctx.db, userId);
    const now = ctx.clock.now();
    if (totp?.confirmed_at != null) throw fail("totp_enabled");
    if (totp === null || totp.created_at + SETUP_MS <= now) throw fail("totp_setup_expired");
    const step = stepOf(totp.secret, code, now);
    if (step === null) throw fail("wrong_code");
    await store.confirmTotp(ctx.db, userId, step, now);
    const codes = newRecoveryCodes(ctx.clock);
    await store.putRecoveryCodes(ctx.db, userId, codes.map(recoveryHash));
    await endUserSessions(ctx, userId, caller.sessionId);
    await notifyOwner(ctx, { userId, kind: "second_factor_added", by: "self", details: { factor: "totp" } });
    publishControl(ctx, "user_changed", userId);
    return codes;
  });
}

/**
 * Removes the caller's authenticator app with its recovery codes.
 * @throws totp_not_enabled and the errors of `confirmPassword`
 */
export async function removeApp(ctx: AppContext, caller: UserIdentity, body: ConfirmBody): Promise<void> {
  await confirmPassword(ctx, caller, body);
  const { userId } = caller;
  await transact(ctx, async (ctx) => {
    await assertEnabled(ctx, userId);
    await store.removeTotp(ctx.db, userId);
    await store.removeLoginChallenges(ctx.db, userId);
    await notifyOwner(ctx, { userId, kind: "second_factor_removed", by: "self", details: { factor: "totp" } });
    publishControl(ctx, "user_changed", userId);
  });
}

/**
 * Replaces the caller's recovery codes, used or not.
 * @throws totp_not_enabled and the errors of `confirmPassword`
 */
export async function renewRecoveryCodes(ctx: AppContext, caller: UserIdentity, body: ConfirmBody): Promise<string[]> {
  await confirmPassword(ctx, caller, body);
  const { userId } = caller;
  return transact(ctx, async (ctx) => {
    await assertEnabled(ctx, userId);
    const codes = newRecoveryCodes(ctx.clock);
    await store.putRecoveryCodes(ctx.db, userId, codes.map(recoveryHash));
    await notifyOwner(ctx, { userId, kind: "recovery_codes_made", by: "self" });
    return codes;
  });
}

/** Locks the user, so that of concurrent changes each sees the one before. @throws totp_not_enabled */
async function assertEnabled(ctx: AppContext, userId: number): Promise<void> {
  await lockUser(ctx.db, userId);
  if ((await store.findTotp(ctx.db, userId))?.confirmed_at == null) throw fail("totp_not_enabled");
}
