import type { Config } from "../config.ts";

/** `__Host-` binds a cookie to this very host, which browsers grant over https only (protocol §1). */
export function hostCookieName(config: Config, name: string): string {
  return config.secureCookies ? `__Host-${name}` : name;
}

/** A `Set-Cookie` that scripts cannot read and foreign pages cannot send with; `maxAge` in seconds, 0 takes it away. */
export function setCookie(config: Config, name: string, value: string, maxAge: number): string {
  return `${hostCookieName(config, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${config.secureCookies ? "; Secure" : ""}`;
}

/** The value in a `Cookie` header; null when there is none. Of several the first counts, as in every browser's order. */
export function readCookie(config: Config, name: string, cookieHeader: string | null): string | null {
  if (cookieHeader === null) return null;
  const full = hostCookieName(config, name);
  for (const pair of cookieHeader.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === full) return pair.slice(at + 1).trim() || null;
  }
  return null;
}
