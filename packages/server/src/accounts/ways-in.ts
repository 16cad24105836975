import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { OWNER } from "../http/site-levels.ts";
import type { UserRow } from "./accounts.store.ts";
import { listIdentities } from "./oidc/identities.store.ts";
import { listPasskeys } from "./passkeys/passkeys.store.ts";

/**
 * Checks that a user can still log in: with a password, a passkey, or an account of the provider. Call it in the
 * transaction that took one of them away.
 * @throws last_login_method
 */
export async function assertWayIn(ctx: AppContext, user: UserRow): Promise<void> {
  if (user.password_hash !== null && mayUsePassword(ctx.config, user)) return;
  if ((await listPasskeys(ctx.db, user.id)).length > 0) return;
  const identities = await listIdentities(ctx.db, user.id);
  if (!identities.some(({ issuer }) => issuer === ctx.config.oidcIssuer)) throw fail("last_login_method");
}

/** True if PARLEY_PASSWORD_LOGIN lets this user log in with a password. */
export const mayUsePassword = (
  { passwordLogin }: Pick<Config, "passwordLogin">,
  user: { readonly admin_level: number | null },
): boolean => passwordLogin === "on" || (passwordLogin === "owners" && user.admin_level === OWNER);

/** True if a user of this level must have a second factor (PARLEY_REQUIRE_2FA). */
export function requiresFactor({ requireSecondFactor }: Config, adminLevel: number | null): boolean {
  return requireSecondFactor === "all" || (requireSecondFactor === "staff" && adminLevel !== null);
}
