import { expect, test } from "bun:test";
import { CLAIM, ClaimWorld } from "../support/browser/claim-walk.ts";

/** Races for codes and keys through a whole server on SQLite. The tests beside key-claims run them on each database. */

test("1,000 concurrent requests for a code return 1,000 different codes", async () => {
  await using world = await ClaimWorld.start({ rateLimits: "off", codePoolSize: 1_000 });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => world.code()));
  expect(new Set(answers.map(({ answer }) => answer.status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ code }) => code)).size).toBe(1_000);
  expect(new Set(answers.map(({ cookie }) => cookie)).size).toBe(1_000);
});

test("100 concurrent redemptions of one code give one key, and so do 100 codes of one account", async () => {
  await using world = await ClaimWorld.start({ rateLimits: "off", codePoolSize: 500 });
  const code = await world.code();
  const urls = Array.from({ length: 100 }, (_, n) => world.post(code, `person${n}.example.com`));
  const once = await Promise.all(urls.map((url) => world.redeem({ code, url })));
  expect(once.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(once.map(({ status }) => status)).isSubsetOf(new Set([201, 409, 429, 503]))).toBe(true);

  const codes = await Promise.all(Array.from({ length: 100 }, () => world.code()));
  const posts = codes.map((code) => ({ code, url: world.post(code, "one.example.com") }));
  const ofOne = await Promise.all(posts.map((post) => world.redeem(post)));
  expect(ofOne.filter(({ status }) => status === 201)).toHaveLength(1);
  // Look-ups are bounded: if too many are waiting, callers get `overloaded` and can try again.
  const codesOf = new Set(ofOne.map(({ body }) => body.code));
  expect(codesOf.isSubsetOf(new Set([undefined, "social_account_already_claimed", "overloaded"]))).toBe(true);

  const keys = await world.server.ctx.db.selectFrom("api_keys").select("id").execute();
  expect(keys).toHaveLength(2);
  expect((await world.server.guest.get(`${CLAIM}/verification-code`)).status).toBe(200);
});
