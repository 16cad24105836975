import type { Auth } from "../../../src/http/route.ts";
import type { Role } from "./roles.ts";
import type { Rule } from "./rule.ts";

/** Returns what makes the rules of acts for which a caller identifies itself in this way. */
const by =
  (call: Auth) =>
  (may: readonly Role[], more: Omit<Rule, "call" | "may"> = {}): Rule => ({ call, may, ...more });
export const [open, visitor, guest, anyone, session, agent, member] = [
  by("open"),
  by("visitor"),
  by("guest"),
  by("anyone"),
  by("session"),
  by("agent"),
  by("member"),
];
