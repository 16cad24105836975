import type { ConfirmBody, RemoveFactorsResponse } from "@parley/protocol/factors";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";
import { publishControl, recordControl } from "../../realtime/control/control.ts";
import { findUserByName, lockUser, type UserRow } from "../accounts.store.ts";
import { removePasskeys } from "../passkeys/passkeys.store.ts";
import { keepNotice, notifyOwner } from "../security-notices/security-notices.ts";
import { confirmPassword } from "./authenticator-app.ts";
import * as store from "./factors.store.ts";

type Removed = RemoveFactorsResponse["removed"];

/**
 * Removes all second factors and passkeys of a user of a lower level, who has lost them. The user's sessions continue.
 * @throws forbidden, user_not_found and the errors of `confirmPassword`
 */
export async function removeFactors(
  ctx: AppContext,
  by: UserIdentity,
  username: string,
  body: ConfirmBody,
): Promise<Removed> {
  if (!hasLevel(by, ADMINISTRATOR)) throw fail("forbidden");
  // Before the password, which takes a hash.
  assertMayRemove(by, await findUserByName(ctx.db, username));
  await confirmPassword(ctx, by, body);
  return transact(ctx, async (ctx) => {
    const user = await findLocked(ctx, username);
    assertMayRemove(by, user);
    return removeAll(ctx, by, user);
  });
}

/**
 * Removes all second factors and passkeys of any user, for the command line.
 * @throws user_not_found
 */
export const removeFactorsAsOperator = (ctx: AppContext, username: string): Promise<Removed & { username: string }> =>
  transact(ctx, async (ctx) => {
    const user = await findLocked(ctx, username);
    if (user === null) throw fail("user_not_found");
    return { username: user.username, ...(await removeAll(ctx, COMMAND_LINE, user)) };
  });

async function findLocked(ctx: AppContext, username: string): Promise<UserRow | null> {
  const found = await findUserByName(ctx.db, username);
  return found === null ? null : lockUser(ctx.db, found.id);
}

function assertMayRemove(by: UserIdentity, user: UserRow | null): asserts user is UserRow {
  if (user === null) throw fail("user_not_found");
  if (by.userId === user.id || (by.adminLevel ?? 0) <= (user.admin_level ?? 0)) throw fail("forbidden");
}

async function removeAll(ctx: AppContext, by: UserIdentity | typeof COMMAND_LINE, user: UserRow): Promise<Removed> {
  const { totpSince, passkeys } = await store.factorsOf(ctx.db, user.id);
  const removed = { totp: totpSince !== null, passkeys };
  await store.removeTotp(ctx.db, user.id);
  await store.removeLoginChallenges(ctx.db, user.id);
  await removePasskeys(ctx.db, user.id);
  if (!removed.totp && passkeys === 0) return removed;
  await audit(ctx, by, "user_factors_removed", `user:${user.id}`, removed);
  const notice = { userId: user.id, kind: "second_factor_removed", details: { factor: "all" } } as const;
  if (by === COMMAND_LINE) {
    await keepNotice(ctx, { ...notice, by: "operator" });
    await recordControl(ctx.db, ctx.clock, "user_changed", user.id);
  } else {
    await notifyOwner(ctx, { ...notice, by });
    publishControl(ctx, "user_changed", user.id, { isRevocation: true });
  }
  return removed;
}
