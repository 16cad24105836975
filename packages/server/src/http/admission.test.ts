import { describe, expect, test } from "bun:test";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { RateDecision, RateLimiter } from "../rate-limit/rate-limiter.ts";
import { type Asking, admit, assertIdentified } from "./admission.ts";
import { type AgentIdentity, GUEST } from "./identity.ts";
import type { Auth, Terms } from "./route.ts";

/** Admits a caller, where the policies in `used` have nothing left. Returns what was taken, and how it ended. */
function tryTo(
  terms: Partial<Terms>,
  asking: Partial<Asking> = {},
  used: readonly string[] = [],
  identify = assertIdentified,
) {
  const taken: string[] = [];
  const take: RateLimiter["take"] = (policy, subject): RateDecision => {
    taken.push(`${policy.name} ${subject}`);
    return { allowed: !used.includes(policy.name), policy, remaining: 1, reset: 1, retryAfter: 1 };
  };
  const ctx = { limiter: { take } } as unknown as AppContext;
  const given = { caller: LIMITED, address: "192.0.2.1", rate: undefined, isCounted: false, ...asking };
  try {
    const answer = admit(ctx, { auth: "member", scope: "send", documentedActs: "send", ...terms }, given, identify);
    return [taken, answer instanceof Promise ? "a promise" : "admitted"];
  } catch (error) {
    return [taken, (error as { code?: string }).code];
  }
}

/** An agent whose key may only send. */
const LIMITED: AgentIdentity = {
  kind: "agent",
  keyId: "k",
  agentId: 7,
  key: "a7",
  limits: { scopes: new Set(["send"]), channels: null },
};
const RATES: Terms["rates"] = [
  { policy: "userSend", by: "identity" },
  { policy: "login", by: "address" },
];

describe("a caller is admitted", () => {
  test("at once and in the protocol's order: address, credential, general limit, limits of the operation", () => {
    const taken = ["login 192.0.2.1", "agent a7", "user-send a7"];
    expect(tryTo({ rates: RATES })).toEqual([taken, "admitted"]);
  });

  test("without the general limit where the operation is uncounted, or an outer request was counted", () => {
    expect(tryTo({ isUncounted: true })).toEqual([[], "admitted"]);
    expect(tryTo({}, { isCounted: true })).toEqual([[], "admitted"]);
  });

  test("without the key's scope where no credential is read", () => {
    expect(tryTo({ auth: "open", scope: undefined })).toEqual([["agent a7"], "admitted"]);
  });
});

describe("a caller is refused", () => {
  test("by the first limit that is used up, and takes nothing from those after it", () => {
    expect(tryTo({ rates: RATES }, {}, ["login"])).toEqual([["login 192.0.2.1"], "rate_limited"]);
    expect(tryTo({ rates: RATES }, {}, ["agent"])).toEqual([["login 192.0.2.1", "agent a7"], "rate_limited"]);
  });

  test("for a bad credential, which costs the address a request even where others are uncounted", () => {
    const refuse = (_: Asking, __: Auth) => {
      throw fail("invalid_api_key");
    };
    const [taken, code] = tryTo({ auth: "agent", isUncounted: true }, { caller: GUEST }, [], refuse);
    expect([taken, code]).toEqual([["anonymous 192.0.2.1"], "invalid_api_key"]);
  });

  test("for a scope that the key lacks", () => {
    expect(tryTo({ scope: "react" })).toEqual([["agent a7"], "insufficient_scope"]);
  });

  test.each([
    ["session", "session_required"],
    ["member", "session_required"],
    ["agent", "missing_api_key"],
  ] as const)("who is a guest, where the operation wants a caller with %s", (auth, code) => {
    expect(tryTo({ auth }, { caller: GUEST })[1]).toBe(code);
  });
});
