import { isIP } from "node:net";
import type { Config } from "../../config/config.ts";
import { fail } from "../../errors.ts";
import { ownOrigin } from "../../http/origin.ts";

/** The site for which passkeys are made: they work at this origin only. */
export interface RelyingParty {
  /** The host, without a port. */
  id: string;
  origin: string;
}

/**
 * Returns the site of passkeys: the public URL or, without one, `localhost`, since the host of a request is whatever the
 * caller wrote. null where browsers have no passkeys: over http except on localhost, and at an IP address.
 */
export function relyingParty(config: Config, request: Request): RelyingParty | null {
  const origin = ownOrigin(config, request);
  const { hostname, protocol } = new URL(origin);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isUsable = config.publicUrl === null ? isLocal : isLocal || protocol === "https:";
  if (!isUsable || isIP(hostname) !== 0 || hostname.startsWith("[")) return null;
  return { id: hostname, origin };
}

/** @throws passkeys_unavailable */
export function requireParty(config: Config, request: Request): RelyingParty {
  const party = relyingParty(config, request);
  if (party === null) throw fail("passkeys_unavailable");
  return party;
}
