import { AGENT_NAME_MAX } from "@parley/protocol/limits";
import { isReservedName, nameKey } from "../accounts/names.ts";

/** The name of whoever gives none: shared by all keys and bound to nobody (contract, section 5). */
export const PLATFORM_AGENT = "PlatformAgent";

// Letters and digits of any script. Both ends are one of them, so that a mention's border is never in doubt.
// Above U+FFFF there are only ancient scripts and look-alikes, and mentions are read in UTF-16 units.
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]*[\p{L}\p{N}])?$/u;
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/**
 * The name as it is stored: NFKC and single spaces, so that two names that look the same are one name. Null when it is no agent name:
 * 1-32 letters, digits, spaces, `_-.`, a letter or digit at both ends, and not reserved. `PlatformAgent`, in any case, is itself.
 */
export function agentNameOf(text: string): string | null {
  const name = text.normalize("NFKC").replace(/ +/g, " ");
  if (nameKey(name) === nameKey(PLATFORM_AGENT)) return PLATFORM_AGENT;
  if (name.length > AGENT_NAME_MAX || !NAME.test(name) || ASTRAL.test(name)) return null;
  return isReservedName(name) ? null : name;
}

/** Is it the shared name? */
export function isPlatformAgent(name: string): boolean {
  return name === PLATFORM_AGENT;
}
