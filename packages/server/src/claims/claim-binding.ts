import type { Config } from "../config.ts";
import { limitSubject } from "../http/address.ts";
import { readCookie, setCookie } from "../http/cookies.ts";

const COOKIE = "parley_claim";
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The `Set-Cookie` that tells whoever fetched a code from all who read it in his post. */
export function claimCookie(config: Config, token: string, maxAge: number): string {
  return setCookie(config, COOKIE, token, maxAge);
}

/** The claim's token in a `Cookie` header; null when there is none. */
export function readClaimCookie(config: Config, cookieHeader: string | null): string | null {
  const token = readCookie(config, COOKIE, cookieHeader);
  return token !== null && TOKEN.test(token) ? token : null;
}

export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, "hex");
}

/** The neighbourhood a code may be redeemed from without its cookie: /24 of IPv4, /64 of IPv6 (contract, section 5). */
export function networkOf(address: string): string {
  return address.includes(":") ? limitSubject(address) : address.split(".").slice(0, 3).join(".");
}

/** Who a code was given to. */
export interface Holder {
  token_hash: string | null;
  network: string | null;
}

/**
 * Is it the one who fetched the code? A code is public once it is posted, and without this any reader of the post could take the key
 * (reliability, finding 1). The cookie decides; without the right one the same network does, unless the mode is strict.
 */
export function isHolder(holder: Holder, from: { token: string | null; address: string }, strict: boolean): boolean {
  if (from.token !== null && holder.token_hash === hashToken(from.token)) return true;
  return !strict && holder.network === networkOf(from.address);
}
