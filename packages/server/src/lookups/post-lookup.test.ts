import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import { testConfig } from "../../test/support/config.ts";
import { configOf } from "../../test/support/local-posts.ts";
import { AnsweringServer, answer } from "../../test/support/servers/answering-server.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { createLog } from "../logging/log.ts";
import type { SocialPost } from "./lookup.ts";
import { configuredNetworks, lookupPost } from "./post-lookup.ts";
import { readPostUrl } from "./post-url.ts";
import xAnswers from "./test-data/x-api.json";

/** Makes a context with what a lookup needs: settings, clock, log and slots for its client. */
function context(config: Partial<Config>): AppContext {
  const log = createLog({ level: "silent", readable: false });
  const ctx = { config: testConfig(config), clock: systemClock, log, slots: new Map() } as unknown as AppContext;
  return Object.assign(ctx, { root: ctx });
}

function lookup(ctx: AppContext, url: string, from = "203.0.113.1"): Promise<SocialPost> {
  const ref = readPostUrl(ctx.config, url);
  if (ref === null) throw fail("invalid_tweet_url");
  return lookupPost(ctx, ref, from);
}

let posts: FakeNetworks;
beforeEach(() => {
  posts = new FakeNetworks();
});
afterEach(() => posts[Symbol.dispose]());

describe("the local fake networks answer like the real ones", () => {
  const text = `${"A long text. ".repeat(40)}\nchat.example.org K7QM-2RTX <&>`;

  test.each([
    ["x", "ana_writes", "ana_writes"],
    ["bluesky", "ana.example.com", "ana.example.com"],
    ["mastodon", "ana", "ana@mastodon.local"],
  ] as const)("for %s", async (network, handle, shown) => {
    const ctx = context(configOf(posts));
    const url = posts.write({ network, handle, text, createdAt: 1_795_168_800_000 });
    const post = await lookup(ctx, url);
    expect(post).toMatchObject({
      provider: network,
      handle: shown,
      text,
      createdAt: 1_795_168_800_000,
      kind: "original",
    });
    const again = await lookup(ctx, posts.write({ network, handle, text: "x" }));
    expect(again.accountId).toBe(post.accountId);
    const other = await lookup(ctx, posts.write({ network, handle: handle.replace("ana", "eve"), text: "x" }));
    expect(other.accountId).not.toBe(post.accountId);
    for (const kind of ["repost", "reply", "quote"] as const) {
      if (kind === "repost" && network === "bluesky") continue;
      expect((await lookup(ctx, posts.write({ network, handle, text: "x", kind }))).kind).toBe(kind);
    }
    posts.delete(url);
    await expect(lookup(ctx, url)).rejects.toMatchObject({ code: "post_not_found" });
    posts.failing = 429;
    await expect(lookup(ctx, url)).rejects.toMatchObject({ code: "social_lookup_failed", retryAfter: 60 });
  });

  test("including a post that is written over HTTP", async () => {
    const body = JSON.stringify({ network: "bluesky", handle: "ana.example.com", text: "K7QM-2RTX" });
    const written = await fetch(`${posts.url}/posts`, { method: "POST", body });
    expect(written.status).toBe(201);
    const { url } = (await written.json()) as { url: string };
    expect((await lookup(context(configOf(posts)), url)).text).toBe("K7QM-2RTX");
    for (const bad of ["{", "{}", '{"network":"y","handle":"a","text":"b"}']) {
      expect((await fetch(`${posts.url}/posts`, { method: "POST", body: bad })).status).toBe(400);
    }
  });
});

describe("the choice of a provider", () => {
  const url = "https://x.com/ana_writes/status/1905000000000000001";

  test.each([url, "https://bsky.app/profile/ana.example.com/post/3lbcdefghij2k"])("is none for %s", async (url) => {
    await expect(lookup(context({}), url)).rejects.toMatchObject({ code: "social_lookup_not_configured" });
  });

  test("is the official API for X, or twitterapi.io without it or if it fails, but never to find a deleted post", async () => {
    await using official = await AnsweringServer.start();
    const config = configOf(posts);
    const id = posts.write({ network: "x", handle: "ana", text: "of twitterapi.io" });
    const both = context({ ...config, xApiUrl: official.url });

    official.answering = answer({ status: 401, body: { title: "Unauthorized" } });
    expect((await lookup(both, id)).text).toBe("of twitterapi.io");
    expect(official.asked).toHaveLength(1);
    official.answering = answer(xAnswers.missing);
    await expect(lookup(both, id)).rejects.toMatchObject({ code: "post_not_found" });
    official.answering = answer(xAnswers.good);
    expect((await lookup(both, url)).text).toContain("K7QM-2RTX");
    expect(official.asked).toHaveLength(3);

    expect((await lookup(context({ ...config, xBearerToken: null }), id)).text).toBe("of twitterapi.io");
    const alone = context({ ...config, xApiUrl: official.url, twitterapiIoApiKey: null });
    official.answering = answer(xAnswers.refused);
    await expect(lookup(alone, id)).rejects.toMatchObject({ code: "social_lookup_failed" });
  });
});

describe("look-ups at the same time", () => {
  const statusOn = (instance: string, id: number) => `https://${instance}/@ana/${100_000 + id}`;
  const instances = new Map<string, string>();
  let slow: AnsweringServer;
  beforeEach(async () => {
    slow = await AnsweringServer.start();
    instances.set("slow.example", slow.url).set("other.example", posts.url);
    // They never answer: a look-up gives up by itself.
    slow.answering = () => {};
  });
  afterEach(() => slow[Symbol.asyncDispose]());

  /** Begins look-ups of posts on the slow instance, and returns how they end. */
  const begin = (ctx: AppContext, count: number, from: (n: number) => string) =>
    Array.from({ length: count }, (_, n) =>
      lookup(ctx, statusOn("slow.example", n), from(n)).then(
        () => "found",
        (error: unknown) => (error as { code: string }).code,
      ),
    );

  test("are two for one address, and those of others do not wait for its slow ones", async () => {
    const ctx = context({ ...configOf(posts), mastodonInstances: instances });
    const ends = begin(ctx, 12, () => "198.51.100.7");
    await eventually("two are asked", () => slow.asked.length === 2);
    expect((await lookup(ctx, posts.write({ network: "x", handle: "ana", text: "y" }))).text).toBe("y");
    expect(slow.asked).toHaveLength(2);
    expect(new Set(await Promise.all(ends))).toEqual(new Set(["social_lookup_failed", "overloaded"]));
  });

  test("on a slow instance leave room for those in other networks, whoever asks", async () => {
    const ctx = context({ ...configOf(posts), mastodonInstances: instances });
    const ends = begin(ctx, 20, (n) => `198.51.${n}.7`);
    await eventually("six are asked", () => slow.asked.length === 6);
    expect((await lookup(ctx, posts.write({ network: "x", handle: "ana", text: "y" }))).text).toBe("y");
    expect(slow.asked).toHaveLength(6);
    expect(await Promise.all(ends)).not.toContain("found");
  });

  test("are refused before anything is sent when too many wait, those of the address with the most", async () => {
    const ctx = context({ ...configOf(posts), mastodonInstances: instances });
    const ends = begin(ctx, 19, () => "198.51.100.7");
    expect(await ends[18]).toBe("overloaded");
    const other = begin(ctx, 1, () => "192.0.2.1");
    await eventually("the other one is asked", () => slow.asked.length === 3);
    expect(await Promise.all([...ends, ...other])).not.toContain("found");
  });
});

const bluesky = { provider: "bluesky", host: "bsky.app" };
const x = { provider: "x", host: "x.com" };

test.each([
  ["Bluesky by default", {}, [bluesky]],
  ["no network if Bluesky is off", { PARLEY_BLUESKY_API_URL: "off" }, []],
  ["X by its own API", { PARLEY_X_BEARER_TOKEN: "AAAA" }, [x, bluesky]],
  ["X by twitterapi.io", { PARLEY_TWITTERAPI_IO_KEY: "new1_", PARLEY_BLUESKY_API_URL: "off" }, [x]],
  [
    "X once if both providers are set",
    { PARLEY_X_BEARER_TOKEN: "AAAA", PARLEY_TWITTERAPI_IO_KEY: "new1_" },
    [x, bluesky],
  ],
  [
    "each Mastodon instance under the host name in its posts' URLs",
    { PARLEY_MASTODON_INSTANCES: "b.example,a.example=https://social.a.example" },
    [bluesky, { provider: "mastodon", host: "b.example" }, { provider: "mastodon", host: "a.example" }],
  ],
])("configures %s", (_, env: Record<string, string>, expected) => {
  expect(configuredNetworks(loadConfig(env))).toEqual(expected as ReturnType<typeof configuredNetworks>);
});
