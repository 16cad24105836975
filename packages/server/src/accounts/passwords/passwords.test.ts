import { describe, expect, spyOn, test } from "bun:test";
import { testConfig } from "../../../test/support/config.ts";
import { systemClock } from "../../clock.ts";
import type { AppContext } from "../../context.ts";
import { Metrics } from "../../metrics/metrics.ts";
import { commonPasswords } from "./common-passwords.ts";
import { PasswordThreads } from "./password-threads.ts";
import { checkNewPassword, hashPassword, isCommonPassword, verifyPassword } from "./passwords.ts";

/** The part of a context that passwords need: configuration, metrics and the queue. */
function context(overrides: Parameters<typeof testConfig>[0] = {}): AppContext {
  const metrics = new Metrics(systemClock);
  const ctx = { config: testConfig(overrides), slots: new Map(), metrics, onClose: () => {} } as unknown as AppContext;
  return Object.assign(ctx, { root: ctx });
}

/** Returns the error code of a rejection. */
const codeOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return (error as { code: unknown }).code;
  }
  return undefined;
};

describe("password hashing", () => {
  test("uses argon2id at the protocol's cost, and verifies only the right password", async () => {
    const ctx = context();
    const hash = await hashPassword(ctx, "correct horse");
    expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(await hashPassword(ctx, "correct horse")).not.toBe(hash);
    expect(await verifyPassword(ctx, "correct horse", hash)).toBe(true);
    expect(await verifyPassword(ctx, "correct horsf", hash)).toBe(false);
    expect(await verifyPassword(ctx, "", hash)).toBe(false);
    expect(await verifyPassword(ctx, "correct horse", null)).toBe(false);
  });

  test("reports in a metric how many hashes wait or run", async () => {
    const ctx = context();
    const lengths = spyOn(ctx.metrics, "hashQueueIs");
    await Promise.all(["one", "two", "three"].map((password) => hashPassword(ctx, password)));
    expect(lengths.mock.calls.flat()).toContain(3);
    expect(lengths.mock.calls.flat().at(-1)).toBe(0);
  });

  test("accepts both Unicode forms of the same character", async () => {
    const ctx = context();
    const hash = await hashPassword(ctx, "schönnnnn");
    expect(await verifyPassword(ctx, "scho\u0308nnnnn", hash)).toBe(true);
  });

  test("never accepts the placeholder for passwords that are too long", async () => {
    const ctx = context();
    const hash = await hashPassword(ctx, "impossible");
    expect(await verifyPassword(ctx, "x".repeat(129), hash)).toBe(false);
    expect(await verifyPassword(ctx, "", hash)).toBe(false);
  });

  test("runs two hashes, lets 32 wait and refuses more as overloaded; every waiting one is run", async () => {
    const ctx = context();
    const hash = await hashPassword(ctx, "correct horse");
    const { verify } = PasswordThreads.prototype;
    let running = 0;
    let most = 0;
    using _ = spyOn(PasswordThreads.prototype, "verify").mockImplementation(async function (
      this: PasswordThreads,
      ...input
    ) {
      running += 1;
      most = Math.max(most, running);
      const answer = await verify.apply(this, input);
      running -= 1;
      return answer;
    });
    const attempts = Array.from({ length: 34 }, () => verifyPassword(ctx, "correct horse", hash));
    const refused = await verifyPassword(ctx, "correct horse", hash).catch((error) => error);
    expect(refused).toMatchObject({ code: "overloaded", status: 503, retryAfter: 4 });
    expect(await Promise.all(attempts)).toEqual(Array(34).fill(true));
    expect(most).toBe(2);
    expect(await verifyPassword(ctx, "correct horse", hash)).toBe(true);
  });

  test("serves known browsers before a full queue of strangers, and bounds their queue, too", async () => {
    const ctx = context();
    const order: string[] = [];
    const guess = (name: string, goesFirst: boolean) =>
      verifyPassword(ctx, "x", null, { goesFirst, before: () => void order.push(name), after: () => {} });
    const strangers = Array.from({ length: 34 }, () => guess("stranger", false));
    expect(await guess("stranger", false).catch((error) => error.code)).toBe("overloaded");
    const known = Array.from({ length: 32 }, () => guess("known", true));
    expect(await guess("known", true).catch((error) => error.code)).toBe("overloaded");
    await Promise.all([...strangers, ...known]);
    expect(order).toEqual([...Array(2).fill("stranger"), ...Array(32).fill("known"), ...Array(32).fill("stranger")]);
  });

  test("frees the slot if a check before the hash throws", async () => {
    const ctx = context();
    const refuse = {
      before() {
        throw new Error("not now");
      },
      after: () => {},
    };
    for (let i = 0; i < 4; i += 1) {
      expect(await verifyPassword(ctx, "x", null, refuse).catch((error) => error.message)).toBe("not now");
    }
    expect(await verifyPassword(ctx, "x", null)).toBe(false);
  });
});

describe("password rules", () => {
  const check = (ctx: AppContext, password: string, username = "ann") =>
    codeOf(() => checkNewPassword(ctx, password, username));

  test("allow 8 to 128 characters, counted as a person counts", () => {
    const ctx = context();
    expect(check(ctx, "1234567")).toBe("weak_password");
    expect(check(ctx, "12345678")).toBeUndefined();
    expect(check(ctx, "😀".repeat(7))).toBe("weak_password");
    expect(check(ctx, "😀".repeat(128))).toBeUndefined();
    expect(check(ctx, "x".repeat(129))).toBe("weak_password");
    expect(check(context({ passwordMin: 12 }), "elevenchars")).toBe("weak_password");
  });

  test("report the reason of a refusal in a machine-readable form", () => {
    const check = (settings: Parameters<typeof context>[0], password: string) => () =>
      checkNewPassword(context(settings), password, "ann");
    const told = (details: object) => expect.objectContaining({ details });
    expect(check({ passwordMin: 12 }, "short")).toThrow(told({ min_length: 12, max_length: 128 }));
    expect(check({ profile: "production" }, "password")).toThrow(told({ reason: "common" }));
  });

  test("refuse the commonest passwords in production but not in development", () => {
    for (const password of [
      "password",
      "Password1!",
      "iloveyou",
      "12345678",
      "aaaaaaaa",
      "qwertyuiop",
      "Summer2026!",
    ]) {
      expect(check(context(), password)).toBeUndefined();
      expect(check(context({ profile: "production" }), password)).toBe("weak_password");
    }
    expect(check(context({ profile: "production" }), "correct horse battery")).toBeUndefined();
  });

  test("treat a password made from the user's or the site's name as common", () => {
    expect(isCommonPassword("katherine-k", "Katherine-K")).toBe(true);
    expect(isCommonPassword("Marlowe2026!", "marlowe")).toBe(true);
    expect(isCommonPassword("parley123", "ann")).toBe(true);
    expect(isCommonPassword("marlowe and me", "marlowe")).toBe(false);
    expect(isCommonPassword("annabel lee 1849", "ann")).toBe(false);
  });

  test("have a list of common passwords that is lower case, long enough and useful", () => {
    const list = [...commonPasswords()];
    expect(list.length).toBeGreaterThan(1_000);
    expect(list.filter((word) => word !== word.toLowerCase() || [...word].length < 8)).toEqual([]);
  });
});
