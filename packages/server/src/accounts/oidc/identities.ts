import type { LinkedIdentity } from "@parley/protocol/identities";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { ErasingStep } from "../../erasure.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findUserById, lockUser } from "../accounts.store.ts";
import { reauthenticate } from "../profiles/profiles.service.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { endSession } from "../sessions/sessions.ts";
import { assertWayIn } from "../ways-in.ts";
import * as store from "./identities.store.ts";
import { type Begun, beginLogin } from "./login.ts";
import { issuerOfDocument } from "./provider.ts";

/** Lists the caller's linked logins, oldest first, and whether they have a password. */
export async function ownIdentities(
  ctx: AppContext,
  { userId }: Pick<UserIdentity, "userId">,
): Promise<{ identities: LinkedIdentity[]; has_password: boolean }> {
  const user = await findUserById(ctx.db, userId);
  const rows = await store.listIdentities(ctx.db, userId);
  const identities = await Promise.all(rows.map((row) => identityRecord(ctx, row)));
  return { identities, has_password: user !== null && user.password_hash !== null };
}

const identityRecord = async (ctx: AppContext, row: store.IdentityRow): Promise<LinkedIdentity> => ({
  identity_id: row.id,
  issuer: await issuerOfDocument(ctx, row.issuer),
  label: row.label,
  created_at: isoTime(row.created_at),
  last_login_at: isoTimeOrNull(row.last_login_at),
});

/**
 * Begins a login by the provider that links an identity to the caller's account.
 * @throws reauth_required, rate_limited, overloaded, oidc_disabled, oidc_failed
 */
export async function beginLink(
  ctx: AppContext,
  caller: UserIdentity,
  { origin, returnTo, password }: { origin: string; returnTo: string | undefined; password: string | undefined },
): Promise<Begun> {
  await reauthenticate(ctx, caller, password, true);
  // Without the question, the provider would lead back at once as the account that the browser used last.
  return beginLogin(ctx, origin, { returnTo, reauth: true, linkSession: caller.sessionId });
}

/**
 * Removes one of the caller's identities, and ends the sessions that began with it, except the caller's.
 * @throws reauth_required, rate_limited, overloaded, identity_not_found, last_login_method
 */
export async function unlink(
  ctx: AppContext,
  caller: UserIdentity,
  identityId: number,
  password: string | undefined,
): Promise<void> {
  await reauthenticate(ctx, caller, password, true);
  await transact(ctx, async (ctx) => {
    const user = await lockUser(ctx.db, caller.userId);
    const identities = await store.listIdentities(ctx.db, caller.userId);
    const found = identities.find(({ id }) => id === identityId);
    if (user === null || found === undefined) throw fail("identity_not_found");
    const sessions = await store.sessionsOfIdentity(ctx.db, identityId);
    await store.removeIdentity(ctx.db, identityId);
    await assertWayIn(ctx, user);
    for (const { id } of sessions) if (id !== caller.sessionId) await endSession(ctx, caller.userId, id);
    // The provider vouches for this session no more: a second factor may be due.
    publishControl(ctx, "user_changed", caller.userId);
    const details = { issuer: found.issuer };
    await notifyOwner(ctx, { userId: caller.userId, kind: "identity_unlinked", by: "self", details });
  });
}

/** Removes the user's linked logins. */
export const eraseIdentities: ErasingStep = async (ctx, { userId }) => {
  await store.removeIdentities(ctx.db, userId);
  return null;
};
