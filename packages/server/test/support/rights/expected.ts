import type { ErrorCode } from "@parley/protocol/errors";
import type { Right } from "../../../src/http/rights.ts";
import type { Auth } from "../../../src/http/route.ts";
import { LEVEL_1, LEVEL_2, MEMBERS, type Place, type Role, type Target } from "./roles.ts";
import { type Answer, type Rule, TABLE } from "./table.ts";

const isRule = (entry: Rule | Readonly<Record<string, Rule>>): entry is Rule => typeof entry.call === "string";

/** Returns the rule for that kind of object; for a missing object the first rule, unless another one is stated. */
function ruleOf(right: Right, of: string | undefined): { rule: Rule; isSpecial: boolean } {
  const entry = TABLE[right];
  if (isRule(entry)) return { rule: entry, isSpecial: false };
  const special = of === undefined ? undefined : entry[of];
  const rule = special ?? (of === undefined || of === "absent" ? Object.values(entry)[0] : undefined);
  if (rule === undefined) throw new Error(`Nothing is said of "${right}" of ${of}: add it in rights-table.ts.`);
  return { rule, isSpecial: special !== undefined };
}

/** What a route or command does, and where. */
export interface Act {
  right: Right;
  /** The response for an object that is missing or hidden. */
  notFound: ErrorCode;
  /** The server's PARLEY_GUEST_READ. */
  guestRead: boolean;
}

/** Returns the response that the protocol requires for the caller. */
export function expected({ right, notFound, guestRead }: Act, role: Role, { place, of }: Target): Answer {
  const { rule, isSpecial } = ruleOf(right, of);
  const atTheDoor = refusalAtTheDoor(rule.call, role, guestRead);
  if (atTheDoor !== undefined) return atTheDoor;
  if (place === "deleted" || place === "absent" || (of === "absent" && !isSpecial)) return notFound;
  if (isOutside(role, place)) return toOutsider(rule, role, place) ?? notFound;
  // Banned users read as guests do (protocol §11); where guests cannot read, they cannot either.
  if (isBanned(role) && place === "public" && !guestRead) return "banned";
  if (place === "direct" && rule.direct !== undefined) return rule.direct;
  if (place !== "public" && place !== undefined && LEVEL_2.includes(role) && rule.byLevel !== undefined)
    return rule.byLevel;
  const answer = rule.but?.[role] ?? (rule.may.includes(role) ? "yes" : (rule.otherwise ?? "forbidden"));
  return place === "priced" && rule.isSold === true && answer !== "yes" ? "payment_required" : answer;
}

/** undefined: answers that it does not exist. */
function toOutsider({ outside }: Rule, role: Role, place: Place | undefined): Answer | undefined {
  if (place !== "locked" && place !== "priced") return undefined;
  const { others = place === "locked" ? "password_required" : "payment_required", banned } = outside?.[place] ?? {};
  return isBanned(role) ? (banned ?? others) : others;
}

/** Returns the refusal of a caller who may not call at all, whatever the object; undefined if they may. */
export function refusalAtTheDoor(call: Auth, role: Role, guestRead = true): Answer | undefined {
  if (call === "open" || call === "visitor") return undefined;
  const isAgent = role.includes("agent") || role === "revoked key";
  const isLookedAt = isAgent && call !== "session";
  if (isLookedAt && role === "paused agent") return "agent_paused";
  if (isLookedAt && role === "revoked key") return "key_revoked";
  if (call === "agent") return isAgent ? undefined : "missing_api_key";
  const isKnown = isAgent ? isLookedAt : role !== "guest" && role !== "suspended";
  if (isKnown || call === "anyone" || (call === "guest" && guestRead)) return undefined;
  return "session_required";
}

const isBanned = (role: Role): boolean => role === "banned" || role === "banned agent";
const IN_CLOSED_CHANNELS: readonly Role[] = [...MEMBERS, ...LEVEL_2, "added agent", "muted agent"];

/**
 * Closed channels (protocol §1; those with a price, §7) for callers who are neither in them nor read them by their
 * level.
 */
export function isOutside(role: Role, place: Place | undefined): boolean {
  if (place === "direct") return !LEVEL_2.includes(role);
  return (place === "priced" || place === "locked" || place === "hidden") && !IN_CLOSED_CHANNELS.includes(role);
}

/** Returns whether the caller acts by their level on the site, so that the act must be in the audit log. */
export function isByLevel(act: Act, role: Role, target: Target): boolean {
  if (!LEVEL_1.includes(role)) return false;
  return expected(act, "user", target) !== "yes" && expected(act, role, target) === "yes";
}
