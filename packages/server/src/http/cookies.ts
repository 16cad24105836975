import type { Config } from "../config/config.ts";

/**
 * Returns the cookie's full name. `__Host-` binds a cookie to exactly this host; browsers accept it over https only
 * (protocol §1).
 */
export function hostCookieName(config: Config, name: string): string {
  return config.secureCookies ? `__Host-${name}` : name;
}

/**
 * Returns a `Set-Cookie` that scripts cannot read and foreign pages cannot send;
 * `maxAge` in seconds, 0 deletes the cookie.
 */
export function setCookie(config: Config, name: string, value: string, maxAge: number): string {
  return `${hostCookieName(config, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${config.secureCookies ? "; Secure" : ""}`;
}

/**
 * Returns the value from a `Cookie` header, or null. The first of several wins, which matches the order of every
 * browser.
 */
export function readCookie(config: Config, name: string, cookieHeader: string | null): string | null {
  if (cookieHeader === null) return null;
  const full = hostCookieName(config, name);
  for (const pair of cookieHeader.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === full) return pair.slice(at + 1).trim() || null;
  }
  return null;
}
