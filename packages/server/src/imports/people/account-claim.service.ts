import { CLAIM_CHANNELS_MAX } from "@parley/protocol/import-limits";
import type { AccountClaimResponse } from "@parley/protocol/imports";
import { readClaimLink } from "../../accounts/claimable/claim-account.ts";
import { type Begun, beginLogin } from "../../accounts/oidc/login.ts";
import { providerName } from "../../accounts/oidc/provider.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { displayNameOf, firstChannelsOf } from "./people.store.ts";

/**
 * Returns what the holder of a link may claim (protocol §14.5).
 * @throws claim_link_expired, account_suspended
 */
export async function accountOfLink(ctx: AppContext, token: string): Promise<Omit<AccountClaimResponse, "success">> {
  const { userId, username, expiresAt, mayUsePassword } = await readClaimLink(ctx, token);
  const { channels, count } = await firstChannelsOf(ctx.db, userId, CLAIM_CHANNELS_MAX);
  return {
    username,
    display_name: await displayNameOf(ctx.db, userId),
    channels,
    channel_count: count,
    password_login: mayUsePassword,
    single_sign_on: providerName(ctx.config),
    expires_at: isoTime(expiresAt),
  };
}

/**
 * Begins a login by the provider that claims the account of a link.
 * @throws claim_link_expired, account_suspended, oidc_disabled, oidc_failed
 */
export async function beginClaim(ctx: AppContext, token: string, origin: string): Promise<Begun> {
  await readClaimLink(ctx, token);
  // Without the question, the provider would lead back at once as the account that the browser used last.
  return beginLogin(ctx, origin, { returnTo: undefined, reauth: true, claimToken: token });
}
