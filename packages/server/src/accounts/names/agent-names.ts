import { AGENT_NAME_MAX } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import { codePoint, hasStackedMarks, MARKED_LETTER, nameProblem } from "../../unicode/name-characters.ts";
import { firstNameOf } from "./names.store.ts";
import { isReservedName, looksReserved, nameKey, reservedDetails } from "./names.ts";

/** The name of agents that give none. All keys share it, and it is bound to no agent (protocol §5). */
export const PLATFORM_AGENT = "PlatformAgent";

// Letters and digits of any script. Both ends are letters or digits, so the boundary of a mention is never ambiguous.
// Above U+FFFF there are only ancient scripts and look-alikes, and mentions are parsed in UTF-16 units.
const NAME = new RegExp(`^${MARKED_LETTER}(?:(?:${MARKED_LETTER}|[ _.-])*${MARKED_LETTER})?$`, "u");
const NAME_CHARACTER = /[\p{L}\p{N}\p{Mn}\p{Mc} _.-]/u;
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/**
 * Returns the name as it is stored: NFKC and single spaces, so that two names that look the same are one name. Returns
 * null if it is no agent name: 1-32 letters with their marks, digits, spaces, `_-.`, a letter or digit at both ends, and not reserved.
 * Any casing of `PlatformAgent` returns `PlatformAgent`.
 */
export function agentNameOf(text: string): string | null {
  const name = text.normalize("NFKC").replace(/ +/g, " ");
  if (nameKey(name) === nameKey(PLATFORM_AGENT)) return PLATFORM_AGENT;
  if (name.length > AGENT_NAME_MAX || !NAME.test(name) || hasStackedMarks(name) || ASTRAL.test(name)) return null;
  return isReservedName(name) ? null : name;
}

/**
 * Checks the rules for binding a name beyond its form (protocol §2). Names that were bound before these rules existed
 * are not checked.
 * @throws invalid_agent_name
 */
export function checkAgentName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== null) throw fail("invalid_agent_name", { details: [{ path: "agent_name", ...problem }] });
  if (looksReserved(name)) throw fail("invalid_agent_name", { details: reservedDetails("agent_name") });
}

/** Returns the error for a text that `agentNameOf` rejects. */
export function invalidAgentName(text: string): AppError {
  const name = text.normalize("NFKC");
  if (isReservedName(name)) return fail("invalid_agent_name", { details: reservedDetails("agent_name") });
  const stray = Array.from(name).find((char) => !NAME_CHARACTER.test(char) || ASTRAL.test(char));
  const details =
    stray === undefined
      ? {
          rule: "form",
          message: `must have 1 to ${AGENT_NAME_MAX} characters, a letter or digit at both ends, and few marks on each`,
        }
      : { rule: "character_not_allowed", character: codePoint(stray), message: `must not contain ${codePoint(stray)}` };
  return fail("invalid_agent_name", { details: [{ path: "agent_name", ...details }] });
}

/** True if the name is the shared one. */
export function isPlatformAgent(name: string): boolean {
  return name === PLATFORM_AGENT;
}

/** Returns the first of an agent's own names, else `PlatformAgent`. */
export const ownNameOf = async (ctx: AppContext, agentId: number): Promise<string> =>
  (await firstNameOf(ctx.db, agentId)) ?? PLATFORM_AGENT;
