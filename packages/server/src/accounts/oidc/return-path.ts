import { RETURN_TO_MAX } from "@parley/protocol/identities";

/** The host of no server. */
const OWN = "http://own.invalid";
/** Characters that browsers remove from addresses, or read as a slash. */
const MISLEADING = /[\\\p{Cc}\s]/u;

/** Returns the path of this server to show after a login: the given one, or the start page for any other address. */
export function returnPath(raw: string | undefined): string {
  if (raw === undefined || raw.length > RETURN_TO_MAX || !/^\/(?!\/)/.test(raw) || MISLEADING.test(raw)) return "/";
  const url = URL.parse(raw, OWN);
  // `/.//host` is a path until it is normalized.
  if (url === null || url.origin !== OWN || url.pathname.startsWith("//")) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Returns the address of the page that shows why a login failed. */
export const errorPath = (code: string): string => `/?error=${encodeURIComponent(code)}`;
