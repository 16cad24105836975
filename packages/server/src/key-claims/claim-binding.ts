import type { Config } from "../config/config.ts";
import { limitSubject } from "../http/connections/address.ts";
import { readCookie, setCookie } from "../http/cookies.ts";

const COOKIE = "parley_claim";
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns the `Set-Cookie` that distinguishes the caller who fetched a code from readers of the post. */
export function claimCookie(config: Config, token: string, maxAge: number): string {
  return setCookie(config, COOKIE, token, maxAge);
}

/** Returns the claim's token from a `Cookie` header; null if there is none. */
export function readClaimCookie(config: Config, cookieHeader: string | null): string | null {
  return claimToken(readCookie(config, COOKIE, cookieHeader));
}

/** Returns the text if it can be a claim's token, else null. */
export function claimToken(text: string | null | undefined): string | null {
  return typeof text === "string" && TOKEN.test(text) ? text : null;
}

export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, "hex");
}

/** Returns the network a code may be redeemed from without its cookie: /24 of IPv4, /64 of IPv6 (protocol §5). */
export function networkOf(address: string): string {
  return address.includes(":") ? limitSubject(address) : address.split(".").slice(0, 3).join(".");
}

/** The caller a code was given to. */
export interface Holder {
  token_hash: string | null;
  network: string | null;
}

/**
 * True if the caller is the one who fetched the code. A code is public once it is posted; without this check any reader
 * of the post could take the key. The token decides, from the cookie or the body. Without a token the same network is
 * enough, unless the mode is strict.
 */
export function isHolder(
  holder: Holder,
  from: { tokens: readonly string[]; address: string },
  strict: boolean,
): boolean {
  if (from.tokens.some((token) => holder.token_hash === hashToken(token))) return true;
  return !strict && holder.network !== null && holder.network === networkOf(from.address);
}
