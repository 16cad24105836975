import { isIP } from "node:net";
import { isAllowed, isPublic, type Networks } from "./address-rules.ts";

export const URL_MAX = 2_048;
const HTTPS = 443;
const HTTP = 80;
const SYSTEM_PORTS = 1_023;

/** A URL that the server may call if all addresses of its host pass. */
export interface OutgoingUrl {
  url: URL;
  /** The host without the brackets of IPv6. */
  host: string;
  port: number;
  isSecure: boolean;
}

/** Why a URL is refused, for the person who named it. */
export type UrlProblem =
  | "malformed"
  | "too_long"
  | "not_https"
  | "has_credentials"
  | "port_not_allowed"
  | "blocked_address"
  | "unknown_host";

/**
 * Parses a URL that a user named: https, port 443 or above 1023, no user information. http is possible only to addresses
 * that `PARLEY_EGRESS_ALLOW` names (port 80, too); `addressProblem` checks that.
 */
export function parseOutgoingUrl(raw: string, allowed: Networks): OutgoingUrl | UrlProblem {
  if (raw.length > URL_MAX) return "too_long";
  const url = URL.parse(raw);
  if (url === null || url.hostname === "") return "malformed";
  const isSecure = url.protocol === "https:";
  if (!isSecure && (url.protocol !== "http:" || allowed.length === 0)) return "not_https";
  if (url.username !== "" || url.password !== "") return "has_credentials";
  const port = url.port === "" ? (isSecure ? HTTPS : HTTP) : Number(url.port);
  const isUsual = port === (isSecure ? HTTPS : HTTP);
  if (!isUsual && port <= SYSTEM_PORTS) return "port_not_allowed";
  return { url, host: url.hostname.replace(/^\[|\]$/g, ""), port, isSecure };
}

/** Returns why none of these addresses of the host may be called; undefined if every one may. */
export function addressProblem(
  { isSecure }: Pick<OutgoingUrl, "isSecure">,
  addresses: readonly string[],
  allowed: Networks,
): UrlProblem | undefined {
  if (addresses.length === 0) return "unknown_host";
  for (const address of addresses) {
    if (isIP(address) !== 0 && isAllowed(address, allowed)) continue;
    if (!isSecure) return "not_https";
    if (!isPublic(address)) return "blocked_address";
  }
  return undefined;
}
