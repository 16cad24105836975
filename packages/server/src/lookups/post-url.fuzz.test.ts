import { expect, spyOn, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { stillClock } from "../../test/support/clock.ts";
import { testConfig } from "../../test/support/config.ts";
import { instances } from "../config/parse.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../logging/log.ts";
import { lookupPost } from "./post-lookup.ts";
import { readPostUrl } from "./post-url.ts";

const RUNS = 20_000;

/** Every form of request, path and query, as it arrives. */
const SHAPES = [
  /^\/2\/tweets\/\d{1,19}\?tweet\.fields=[\w%.]+&expansions=author_id&user\.fields=[\w%]+$/,
  /^\/xrpc\/com\.atproto\.identity\.resolveHandle\?handle=[a-z0-9.-]+$/,
  /^\/xrpc\/app\.bsky\.feed\.getPosts\?uris=at%3A%2F%2Fdid%3A(plc|web)%3A[a-z0-9.-]+%2Fapp\.bsky\.feed\.post%2F[a-z2-7]{13}$/,
  /^\/api\/v1\/statuses\/\d{1,20}$/,
];

/** Returns one of these words. */
const word = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(" "));
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(""));
const mostly = (usual: fc.Arbitrary<string>, ...others: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: usual }, ...others);

const digits = fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String);
const letters = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: word("a b c j k z 2 3 7"), minLength: length, maxLength: length });
/** Text an attacker would put between the parts. */
const junk = mostly(
  fc.constant(""),
  word("/ // /.. /../.. \\ @ : :443 . %2f %2e%2e %00 \0 \r\n \t ? # ; & \u00a0 \u200b \u00ad \ud800 。 ⅹ [::1]"),
  word("@evil.example .evil.example \\@evil.example 127.0.0.1"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const host = word("x.com. api.x.com evil.example localhost 169.254.169.254 xn--80a.com mastodon.example.evil.example");
const tail = mostly(junk, word("/photo/1 ?s=20 #x ?u=https://evil.example/"));
const name = word("/ana /i /i/web /@ana /ana/ana");
const actor = fc.oneof(
  fc.domain(),
  joined(word("did:plc: did:key:"), letters(24)),
  joined(fc.constant("did:web:"), fc.domain()),
);
/** Host and path of each network, often mixed. */
const place = fc.oneof(
  joined(mostly(word("x.com twitter.com www.x.com X.com"), host), junk, name, word("/status/ /statuses/ /"), digits),
  joined(mostly(word("bsky.app"), host), junk, fc.constant("/profile/"), actor, word("/post/ /feed/"), letters(13)),
  joined(mostly(word("mastodon.example"), host), junk, word("/@ana/ /users/ana/statuses/ /@a@evil.example/"), digits),
  joined(fc.domain(), fc.webPath()),
);
/** Addresses that are valid, nearly valid, and invalid. */
const address = mostly(
  joined(mostly(word("https:// HTTPS://"), word("http:// https: // https:///")), junk, place, tail),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary", maxLength: 60 }),
);

test("any post URL only causes requests to the configured hosts, in these forms", async () => {
  const arrived: string[] = [];
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      arrived.push(pathname + search);
      // A lookup by handle continues to the post, with a DID that the network chose.
      return pathname.endsWith("resolveHandle")
        ? Response.json({ did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz" })
        : Response.json(
            { posts: [], errors: [{ type: "/problems/resource-not-found" }] },
            { status: pathname.startsWith("/api/") ? 404 : 200 },
          );
    },
  });
  const base = server.url.origin;
  const config = testConfig({
    xApiUrl: base,
    xBearerToken: "secret",
    blueskyApiUrl: base,
    mastodonInstances: instances(`mastodon.example=${base}`),
  });
  const ctx = {
    config,
    clock: stillClock(),
    log: createLog({ level: "silent", readable: false }),
    slots: new Map(),
  } as unknown as AppContext;
  Object.assign(ctx, { root: ctx });
  // Other tests of this process may still send requests too.
  const own = new AsyncLocalStorage<string[]>();
  const sent: string[] = [];
  const realFetch = globalThis.fetch;
  using _ = spyOn(globalThis, "fetch").mockImplementation(
    Object.assign((...[url, init]: Parameters<typeof fetch>) => {
      own.getStore()?.push(new URL(String(url)).origin);
      return realFetch(url, init);
    }, realFetch),
  );

  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(address, async (url) => {
      const ref = readPostUrl(config, url);
      if (ref === null) return;
      accepted++;
      const error = await own
        .run(sent, () => lookupPost(ctx, ref, "127.0.0.1"))
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(error instanceof AppError ? error.code : error).toBe("post_not_found");
    }),
    { numRuns: RUNS },
  );

  // The fuzz test is meaningless unless many addresses are accepted.
  expect(accepted).toBeGreaterThan(RUNS / 20);
  expect(arrived.length).toBeGreaterThanOrEqual(accepted);
  expect([...new Set(sent)]).toEqual([base]);
  expect(sent).toHaveLength(arrived.length);
  expect(arrived.filter((target) => !SHAPES.some((shape) => shape.test(target)))).toEqual([]);
  for (const shape of SHAPES) expect(arrived.some((target) => shape.test(target))).toBe(true);
});
