import type { ErrorCode } from "@parley/protocol/errors";
import type { Right } from "../../../src/http/rights.ts";
import type { Auth } from "../../../src/http/route.ts";
import { LEVEL_1, LEVEL_2, MEMBERS, type Place, type Role, type Target } from "./roles.ts";
import type { Answer, Rule } from "./rule.ts";
import { TABLE } from "./table.ts";

const isRule = (entry: Rule | Readonly<Record<string, Rule>>): entry is Rule => typeof entry.call === "string";

/** Returns the rule for this kind of object. For a missing object without a rule of its own, returns the first rule. */
function ruleOf(right: Right, of: string | undefined): { rule: Rule; isSpecial: boolean } {
  const entry = TABLE[right];
  if (isRule(entry)) return { rule: entry, isSpecial: false };
  const special = of === undefined ? undefined : entry[of];
  const rule = special ?? (of === undefined || of === "absent" ? Object.values(entry)[0] : undefined);
  if (rule === undefined)
    throw new Error(`"${right}" has no rule for "${of}": add one in test/support/rights/table.ts.`);
  return { rule, isSpecial: special !== undefined };
}

/** An act that a route or command performs, with its circumstances. */
export interface Act {
  right: Right;
  /** The response for an object that is missing or hidden. */
  notFound: ErrorCode;
  /** Whether guests can read (PARLEY_GUEST_READ). */
  guestRead: boolean;
}

/** Returns the response that the protocol requires for the caller. */
export function expected({ right, notFound, guestRead }: Act, role: Role, { place, of }: Target): Answer {
  const { rule, isSpecial } = ruleOf(right, of);
  const atTheDoor = refusalAtTheDoor(rule.call, role, guestRead);
  if (atTheDoor !== undefined) return atTheDoor;
  if (place === "deleted" || place === "absent" || (of === "absent" && !isSpecial)) return notFound;
  if (isOutside(role, place)) return toOutsider(rule, role, place) ?? notFound;
  // Banned users have the reading rights of guests (protocol §11). If guests cannot read, neither can banned users.
  if (isBanned(role) && place === "public" && !guestRead) return "banned";
  if (place === "direct" && rule.direct !== undefined) return rule.direct;
  if (place !== "public" && place !== undefined && LEVEL_2.includes(role) && rule.byLevel !== undefined)
    return rule.byLevel;
  const answer = rule.but?.[role] ?? (rule.may.includes(role) ? "yes" : (rule.otherwise ?? "forbidden"));
  return place === "priced" && rule.isSold === true && answer !== "yes" ? "payment_required" : answer;
}

/**
 * Returns the refusal for callers who are not members of a closed channel and cannot read it by site level (protocol
 * §1, §7). Returns undefined if the channel must look like a missing one.
 */
function toOutsider({ outside }: Rule, role: Role, place: Place | undefined): Answer | undefined {
  if (place !== "locked" && place !== "priced") return undefined;
  const { others = place === "locked" ? "password_required" : "payment_required", banned } = outside?.[place] ?? {};
  return isBanned(role) ? (banned ?? others) : others;
}

/** Returns the refusal for callers who may not call at all, whatever the object. Returns undefined if they may call. */
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
 * Returns whether the channel is closed and the caller is neither a member nor reads it by site level (protocol §1,
 * §7).
 */
export function isOutside(role: Role, place: Place | undefined): boolean {
  if (place === "direct") return !LEVEL_2.includes(role);
  return (place === "priced" || place === "locked" || place === "hidden") && !IN_CLOSED_CHANNELS.includes(role);
}

/** Returns whether the caller acts by site level, so that the audit log must record the act. */
export function isByLevel(act: Act, role: Role, target: Target): boolean {
  if (!LEVEL_1.includes(role)) return false;
  return expected(act, "user", target) !== "yes" && expected(act, role, target) === "yes";
}
