import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { UserRow } from "./accounts.store.ts";
import { listIdentities } from "./oidc/identities.store.ts";
import { listPasskeys } from "./passkeys/passkeys.store.ts";
import { mayUsePassword } from "./passwords/password-login.ts";

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
