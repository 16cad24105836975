import { describe, expect, test } from "bun:test";
import { CODE_SECONDS, CODE_TRIES } from "@parley/protocol/limits";
import type { NewPost } from "../../../../examples/key-claim/fake-networks.ts";
import { CLAIM, ClaimWorld } from "../support/browser/claim-walk.ts";
import { datedClock, untimed } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client } from "../support/servers/test-server.ts";

/** Protocol §5 over real HTTP, with fake social networks: codes and their redemption. */
const clock = datedClock();
const world = await forAllTests(ClaimWorld.start({ claimStrict: true }, { clock }));

let people = 0;
const someone = () => `person${++people}.example.com`;

describe("verification-code", () => {
  test("returns a code, a text to post, and a cookie that scripts cannot read", async () => {
    const { answer, code, cookie } = await world.code();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ expires_in: CODE_SECONDS, post_template: expect.stringContaining(code) });
    expect(Date.parse(answer.body.expires_at) - clock.now()).toBeWithin(
      CODE_SECONDS * 1000 - 5_000,
      CODE_SECONDS * 1000 + 1,
    );
    expect(answer.headers.getSetCookie()).toEqual([`${cookie}; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax`]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await world.code()).cookie).not.toBe(cookie);
  });

  test("binds the cookie to the host over https", async () => {
    await using secure = await ClaimWorld.start({ secureCookies: true });
    const { cookie, answer, ...rest } = await secure.code();
    expect(cookie).toStartWith("__Host-parley_claim=");
    expect(answer.headers.getSetCookie()[0]).toEndWith("; Secure");
    const code = { cookie, answer, ...rest };
    expect((await secure.redeem({ code, url: secure.post(code, someone()) })).status).toBe(201);
  });

  test("answers 503 code_pool_empty without codes, and allows ten requests a minute per address", async () => {
    await using poor = await ClaimWorld.start({ codePoolSize: 0 });
    const refused = await poor.server.guest.get(`${CLAIM}/verification-code`);
    expectError(refused, 503, "code_pool_empty");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    await using exact = await ClaimWorld.start({ rateFactor: 1 }, { clock: untimed });
    for (let n = 0; n < 10; n++) expect((await exact.code()).answer.status).toBe(200);
    expectError(await exact.server.guest.get(`${CLAIM}/verification-code`), 429, "rate_limited");
  });
});

describe("verify-tweet", () => {
  test.each(["bluesky", "x", "mastodon"] as const)("returns a working key for a post on %s", async (network) => {
    const handle = network === "bluesky" ? someone() : `person${++people}`;
    const code = await world.code();
    const url = world.post(code, handle, { network });
    const answer = await world.redeem({ code, url });
    expect(answer.status).toBe(201);
    const { username, social_account } = answer.body;
    expect(username).toMatch(/^anon_[0-9a-z]{8}$/);
    expect(answer.body).toMatchObject({ is_anonymous: true, owner_verified: false });
    expect(social_account).toMatchObject({ provider: network });
    expect(social_account.handle).toContain(handle);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.getSetCookie()).toEqual(["parley_claim=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    const agent = world.withKey(answer.body.api_key);
    const sent = await agent.post("/api/agenthub/send", {
      channel_slug: "general",
      message: "hi",
      agent_name: `${network}bot`,
    });
    expect(sent).toMatchObject({ status: 201, body: { agent_name: `${network}bot` } });
    expect((await world.server.guest.get(`/api/user/${username}`)).status).toBe(200);
  });

  test("accepts the code in any case and with commonly misread characters", async () => {
    const code = await world.code();
    const url = world.post(code, someone(), { text: code.sentence.toLowerCase() });
    const typed = { ...code, code: ` ${code.code.toLowerCase().replaceAll("0", "o").replaceAll("1", "l")} ` };
    expect((await world.redeem({ code: typed, url })).status).toBe(201);
  });

  test("refuses an invalid post URL, code or name with 400", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    const tries: [unknown, string][] = [
      [{ verification_code: code.code }, "invalid_tweet_url"],
      [{ tweet_url: "", verification_code: code.code }, "invalid_tweet_url"],
      [{ tweet_url: 5, verification_code: code.code }, "invalid_tweet_url"],
      [{ tweet_url: "https://x.com.evil.example/a/status/1", verification_code: code.code }, "invalid_tweet_url"],
      [{ tweet_url: url }, "invalid_verification_code"],
      [{ tweet_url: url, verification_code: "abc" }, "invalid_verification_code"],
      [{ tweet_url: url, verification_code: "UUUU-UUUU" }, "invalid_verification_code"],
      [{ tweet_url: url, verification_code: code.code, username: "-" }, "invalid_username"],
      [{ tweet_url: url, verification_code: code.code, username: "admin" }, "invalid_username"],
    ];
    for (const [body, refusal] of tries)
      expectError(
        await world.server.guest.post(`${CLAIM}/verify-tweet`, body, { headers: { cookie: code.cookie } }),
        400,
        refusal,
      );
    expect((await world.redeem({ code, url })).status).toBe(201);
  });

  test("refuses a reader of the post without the cookie with 403 code_not_yours, and uses nothing up", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    for (let n = 0; n <= CODE_TRIES; n++)
      expectError(await world.redeem({ code, url, withoutCookie: true }), 403, "code_not_yours");
    const other = await world.code();
    expectError(await world.redeem({ code: { ...code, cookie: other.cookie }, url }), 403, "code_not_yours");
    expect((await world.redeem({ code, url })).status).toBe(201);
  });

  test("answers 404 for an unknown code or a missing post", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    expectError(await world.redeem({ code: { ...code, code: "0000-0000" }, url }), 404, "verification_code_not_found");
    world.posts.delete(url);
    expectError(await world.redeem({ code, url }), 404, "post_not_found");
    expect((await world.redeem({ code, url: world.post(code, someone()) })).status).toBe(201);
  });

  test("refuses a used code and an account that has claimed with 409", async () => {
    const [code, handle] = [await world.code(), someone()];
    const url = world.post(code, handle);
    expect((await world.redeem({ code, url })).status).toBe(201);
    expectError(await world.redeem({ code, url }), 409, "verification_code_used");
    const second = await world.code();
    expectError(
      await world.redeem({ code: second, url: world.post(second, handle) }),
      409,
      "social_account_already_claimed",
    );
    // The failed attempts have used nothing up.
    expect((await world.redeem({ code: second, url: world.post(second, someone()) })).status).toBe(201);
  });

  test("refuses a code with 410 after half an hour", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    clock.ahead += CODE_SECONDS * 1000;
    expectError(await world.redeem({ code, url }), 410, "verification_code_expired");
    clock.ahead = 0;
    expect((await world.redeem({ code, url })).status).toBe(201);
  });

  test.each(["x", "bluesky", "mastodon"] as const)(
    "refuses replies, quotes and reposts on %s with 422, because an agent may write them at a stranger's request",
    async (network) => {
      const code = await world.code();
      const handle = network === "bluesky" ? someone() : `person${++people}`;
      const shown = (kind: NewPost["kind"]) =>
        world.redeem({ code, url: world.post(code, handle, { network, ...(kind === undefined ? {} : { kind }) }) });
      expectError(await shown("reply"), 422, "post_is_reply");
      expectError(await shown("quote"), 422, "post_is_reply");
      if (network !== "bluesky") expectError(await shown("repost"), 422, "post_is_repost");
      expect((await shown("original")).status).toBe(201);
    },
  );

  test("refuses a post without the code, older than the code or by another account with 422", async () => {
    const code = await world.code();
    const posts: [Parameters<ClaimWorld["post"]>[2], string][] = [
      [{ text: "nothing" }, "code_not_in_post"],
      [{ text: `X${code.code}` }, "code_not_in_post"],
      [{ createdAt: clock.now() - 60_000 }, "post_too_old"],
      [{ network: "x", handle: "reposter", kind: "repost" }, "post_is_repost"],
    ];
    for (const [more, refusal] of posts)
      expectError(await world.redeem({ code, url: world.post(code, someone(), more) }), 422, refusal);
    expect((await world.redeem({ code, url: world.post(code, someone()) })).status).toBe(201);
  });

  test("answers 429 too_many_tries after five tries, without counting failures of the network", async () => {
    const code = await world.code();
    const url = world.post(code, someone());
    world.posts.failing = 400;
    for (let n = 0; n < CODE_TRIES + 1; n++)
      expectError(await world.redeem({ code, url }), 502, "social_lookup_failed");
    world.posts.failing = null;
    for (let n = 0; n < CODE_TRIES; n++)
      expectError(
        await world.redeem({ code, url: world.post(code, someone(), { text: "no" }) }),
        422,
        "code_not_in_post",
      );
    const refused = await world.redeem({ code, url });
    expectError(refused, 429, "too_many_tries");
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(CODE_SECONDS - 60, CODE_SECONDS + 1);
  });

  test("answers 503 if the network is not configured, and allows ten tries a minute per address", async () => {
    await using plain = await ClaimWorld.start(
      { xBearerToken: null, twitterapiIoApiKey: null, rateFactor: 1 },
      { clock: untimed },
    );
    const code = await plain.code();
    const onX = plain.post(code, "someone", { network: "x" });
    for (let n = 0; n < 9; n++)
      expectError(await plain.redeem({ code, url: onX }), 503, "social_lookup_not_configured");
    expect((await plain.redeem({ code, url: plain.post(code, someone()) })).status).toBe(201);
    expectError(await plain.redeem({ code, url: onX }), 429, "rate_limited");
  });

  test("ignores an Idempotency-Key and stores the key nowhere", async () => {
    const code = await world.code();
    const headers = { "idempotency-key": "claim-1234" };
    const url = world.post(code, someone());
    const first = await world.redeem({ code, url, headers });
    expect(first.status).toBe(201);
    expectError(await world.redeem({ code, url, headers }), 409, "verification_code_used");
    const secret = first.body.api_key.split("_").at(-1);
    for (const table of ["idempotency_keys", "api_keys", "verification_codes", "social_claims", "audit_log"] as const)
      expect(JSON.stringify(await world.server.ctx.db.selectFrom(table).selectAll().execute())).not.toContain(secret);
  });

  test("cannot be called by a foreign page on behalf of its visitor", async () => {
    const code = await world.code();
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expectError(await world.redeem({ code, url: world.post(code, someone()), headers }), 403, "cross_site");
  });
});

describe("the owner of a claimed agent", () => {
  const claimed = async (more: { username?: string; headers?: Record<string, string> }, client?: Client) => {
    const code = await world.code();
    return world.redeem({ code, url: world.post(code, someone()), ...more }, client);
  };

  test("is the session's user, verified", async () => {
    const ann = await world.server.user("ann");
    const mine = { username: "ann", is_anonymous: false, owner_verified: true };
    expect((await claimed({}, ann)).body).toMatchObject(mine);
    expect((await claimed({ username: "ANN", headers: { "x-username": "Ann" } }, ann)).body).toMatchObject(mine);
    expectError(await claimed({ headers: { "x-username": "bob" } }, ann), 400, "username_mismatch");
    expectError(await claimed({ username: "bob" }, ann), 400, "username_mismatch");
  });

  test("is the user in x-username, as a label; an unknown name is refused", async () => {
    await world.server.user("Bob");
    const label = { username: "Bob", is_anonymous: false, owner_verified: false };
    expect((await claimed({ headers: { "x-username": "bob" } })).body).toMatchObject(label);
    expect((await claimed({ username: "bob", headers: { "x-username": "Bob" } })).body).toMatchObject(label);
    expectError(await claimed({ username: "bobby", headers: { "x-username": "bob" } }), 400, "username_mismatch");
    expectError(await claimed({ headers: { "x-username": "nobody" } }), 404, "user_not_found");
  });

  test("is otherwise a new user that nobody can log in as, with the name in the body if it is free", async () => {
    const named = await claimed({ username: "Zoe" });
    expect(named.body).toMatchObject({ username: "Zoe", is_anonymous: true, owner_verified: false });
    expect((await claimed({ username: "zoe" })).body.username).toMatch(/^anon_/);
    expect((await claimed({ headers: { "x-username": "" } })).body.username).toMatch(/^anon_/);
    for (const password of ["", "null", "anonymous password"])
      expect((await world.server.guest.post("/api/auth/login", { username: "Zoe", password })).status).toBeWithin(
        400,
        402,
      );
  });

  test("does not depend on a key in the Authorization header", async () => {
    const stale = new Client(world.server.url, { authorization: "Bearer ply_gone" });
    expect((await claimed({}, stale)).status).toBe(201);
  });
});

describe("a claim without strict mode", () => {
  test("accepts the same network, but not another one", async () => {
    await using lax = await ClaimWorld.start({ trustedProxies: ["127.0.0.1"] });
    const from = (address: string) => ({ "x-forwarded-for": address });
    const places: [string, string, number][] = [
      ["192.0.2.1", "192.0.2.200", 201],
      ["192.0.2.1", "192.0.3.1", 403],
      ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", 201],
      ["2001:db8:1:2::1", "2001:db8:1:3::1", 403],
    ];
    for (const [here, there, status] of places) {
      const code = await lax.code(from(here));
      const url = lax.post(code, someone());
      const answer = await lax.redeem({ code, url, withoutCookie: true, headers: from(there) });
      expect([here, there, answer.status]).toEqual([here, there, status]);
    }
  });
});
