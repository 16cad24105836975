import {
  type ConfirmBody,
  PASSKEYS_PER_USER,
  type Passkey,
  type PasskeyBody,
  type PasskeyLoginBody,
} from "@parley/protocol/factors";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { isBlank } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { lockUser } from "../accounts.store.ts";
import { confirmPassword } from "../factors/authenticator-app.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { knownDevice, type LoginOrigin } from "../sessions/devices.ts";
import { type LoggedIn, openSession } from "../sessions/start-login.ts";
import { assertWayIn } from "../ways-in.ts";
import { beginCheck, checkNewPasskey, creationOptions, requestOptions } from "./ceremonies.ts";
import * as store from "./passkeys.store.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Lists the user's passkeys, newest first. */
export const passkeysOf = async (ctx: AppContext, userId: number): Promise<Passkey[]> =>
  (await store.listPasskeys(ctx.db, userId)).map(passkeyRecord);

/**
 * Returns what the caller's browser needs to make a passkey.
 * @throws passkey_limit_reached and the errors of `confirmPassword`
 */
export async function beginPasskey(
  ctx: AppContext,
  caller: UserIdentity,
  party: RelyingParty,
  body: ConfirmBody,
): Promise<object> {
  await confirmPassword(ctx, caller, body);
  return transact(ctx, async (ctx) => {
    // Locked: of two concurrent calls, the second replaces the challenge of the first.
    await lockUser(ctx.db, caller.userId);
    const existing = await store.listPasskeys(ctx.db, caller.userId);
    if (existing.length >= PASSKEYS_PER_USER) throw fail("passkey_limit_reached");
    return creationOptions(ctx, party, caller, existing);
  });
}

/**
 * Adds the passkey that the caller's browser has made. The password was confirmed for its challenge.
 * @throws invalid_request, challenge_expired, passkey_rejected, passkey_exists, passkey_limit_reached
 */
export async function addPasskey(
  ctx: AppContext,
  caller: UserIdentity,
  party: RelyingParty,
  { name, credential }: PasskeyBody,
): Promise<Passkey> {
  assertVisible(name);
  const { userId } = caller;
  const made = await slowly(ctx, "signature", () => checkNewPasskey(ctx, party, userId, credential));
  return transact(ctx, async (ctx) => {
    // Locked: of two concurrent calls, the second counts the passkey of the first.
    await lockUser(ctx.db, userId);
    if ((await store.listPasskeys(ctx.db, userId)).length >= PASSKEYS_PER_USER) throw fail("passkey_limit_reached");
    const row = { ...made, user_id: userId, name, created_at: ctx.clock.now(), last_used_at: null };
    const added = await store.insertPasskey(ctx.db, row);
    if (added === null) throw fail("passkey_exists");
    const details = { factor: "passkey", name };
    await notifyOwner(ctx, { userId, kind: "second_factor_added", by: "self", details });
    publishControl(ctx, "user_changed", userId);
    return passkeyRecord(added);
  });
}

/** @throws invalid_request, passkey_not_found */
export async function renamePasskey(
  ctx: AppContext,
  { userId }: UserIdentity,
  id: number,
  name: string,
): Promise<Passkey> {
  assertVisible(name);
  const row = await store.renamePasskey(ctx.db, userId, id, name);
  if (row === null) throw fail("passkey_not_found");
  return passkeyRecord(row);
}

/** @throws passkey_not_found, last_login_method and the errors of `confirmPassword` */
export async function removePasskey(
  ctx: AppContext,
  caller: UserIdentity,
  id: number,
  body: ConfirmBody,
): Promise<void> {
  await confirmPassword(ctx, caller, body);
  const { userId } = caller;
  await transact(ctx, async (ctx) => {
    const user = await lockUser(ctx.db, userId);
    const row = await store.removePasskey(ctx.db, userId, id);
    if (user === null || row === null) throw fail("passkey_not_found");
    await assertWayIn(ctx, user);
    const details = { factor: "passkey", name: row.name };
    await notifyOwner(ctx, { userId, kind: "second_factor_removed", by: "self", details });
    publishControl(ctx, "user_changed", userId);
  });
}

/** Returns what a browser needs for a login by passkey. It is the same for everybody. */
export const beginPasskeyLogin = (ctx: AppContext, party: RelyingParty): Promise<object> =>
  transact(ctx, (ctx) => requestOptions(ctx, party));

/**
 * Logs a user in by a passkey, which counts as both factors: it has checked a fingerprint, a face or a PIN.
 * @throws challenge_expired, passkey_rejected, account_suspended
 */
export async function loginByPasskey(
  ctx: AppContext,
  party: RelyingParty,
  { credential }: PasskeyLoginBody,
  origin: LoginOrigin,
): Promise<LoggedIn> {
  const check = await beginCheck(ctx, party, credential);
  const passkey = await store.findPasskey(ctx.db, credential.id);
  if (passkey === null) throw fail("passkey_rejected");
  const use = await check(passkey);
  return transact(ctx, async (ctx) => {
    // Locked, so that a concurrent suspension sees this session and ends it.
    const user = await lockUser(ctx.db, passkey.user_id);
    // The passkey may have been removed during its check.
    const isRecorded = await store.recordUse(ctx.db, passkey.id, { ...use, now: ctx.clock.now() });
    if (user === null || user.erased_at !== null || !isRecorded) throw fail("passkey_rejected");
    return openSession(ctx, user, await knownDevice(ctx, origin.deviceToken), origin);
  });
}

function assertVisible(name: string): void {
  if (!isBlank(name)) return;
  throw fail("invalid_request", { details: [{ path: "name", message: "must have a visible character" }] });
}

const passkeyRecord = (row: store.PasskeyRow): Passkey => ({
  passkey_id: row.id,
  name: row.name,
  is_synced: row.is_synced === 1,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
});
