import { beforeEach, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { generateKeyPair, type JWTPayload } from "jose";
import { forAllTests } from "../../support/for-all-tests.ts";
import { OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { CLIENT_ID, TestProvider } from "../../support/oidc-provider.ts";
import { impatiently } from "../../support/servers/impatient.ts";
import { startTestServer } from "../../support/servers/test-server.ts";

/** Attacks by a hostile provider, network or browser (protocol §13.9). */
const provider = await forAllTests(TestProvider.start());
const server = await forAllTests(startTestServer(provider.settings()));
beforeEach(() => {
  provider.tamper = () => false;
  provider.account = { sub: "ann", preferred_username: "ann" };
});

function json(response: ServerResponse, body: unknown): true {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  return true;
}

/** Answers the redemption of a code with an ID token of these claims. */
function forgeToken(change: (claims: JWTPayload) => JWTPayload, sign = (claims: JWTPayload) => provider.sign(claims)) {
  return async (browser: OidcBrowser, callback: URL) => {
    const flow = JSON.parse(
      Buffer.from(browser.cookies(server.url).split("parley_oidc=")[1] ?? "", "base64url").toString(),
    );
    provider.tamper = async (request, response) => {
      if (request.url !== "/token") return false;
      const iat = Math.floor(Date.now() / 1000);
      const honest = { iss: provider.issuer, sub: "ann", aud: CLIENT_ID, iat, exp: iat + 60, nonce: flow.nonce };
      const id_token = await sign({ ...honest, preferred_username: "ann", email: "a@b.c", ...change(honest) });
      return json(response, { access_token: "a", token_type: "Bearer", id_token });
    };
    return browser.go(callback.href);
  };
}

const expectFailed = async (browser: OidcBrowser, { url }: { url: URL }) => {
  expect(url.pathname + url.search).toBe("/?error=oidc_failed");
  expect(await userOf(server, browser)).toBe(null);
};

describe("an ID token", () => {
  const second = () => Math.floor(Date.now() / 1000);
  const wrong: Record<string, ReturnType<typeof forgeToken>> = {
    "of another issuer": forgeToken(() => ({ iss: "https://evil.example" })),
    "for another client": forgeToken(() => ({ aud: "somebody" })),
    "for several clients, by another one": forgeToken(() => ({ aud: [CLIENT_ID, "other"], azp: "other" })),
    "with another nonce": forgeToken(() => ({ nonce: "A".repeat(43) })),
    "without a nonce": forgeToken(() => ({ nonce: undefined })),
    "that has expired": forgeToken(() => ({ iat: second() - 900, exp: second() - 600 })),
    "without a subject": forgeToken(() => ({ sub: undefined })),
    "signed with another key": forgeToken(
      () => ({}),
      async (claims) => provider.sign(claims, (await generateKeyPair("RS256")).privateKey),
    ),
    "signed with our own secret": forgeToken(
      () => ({}),
      async (claims) =>
        provider.sign(claims, new TextEncoder().encode(server.config.oidcClientSecret ?? ""), { alg: "HS256" }),
    ),
    "without a signature": forgeToken(
      () => ({}),
      async (claims) =>
        `${[{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`,
    ),
  };
  test.each(Object.entries(wrong))("%s is refused", async (_, forged) => {
    const browser = new OidcBrowser(server);
    await expectFailed(browser, await forged(browser, await browser.untilCallback()));
  });

  test("that is honest is accepted by the same means", async () => {
    const browser = new OidcBrowser(server);
    const { url } = await forgeToken(() => ({}))(browser, await browser.untilCallback());
    expect([url.pathname + url.search, await userOf(server, browser)]).toEqual(["/", "ann"]);
  });
});

describe("a callback", () => {
  test("in another browser than the one that began is refused, and so is one without a beginning", async () => {
    const callback = await new OidcBrowser(server).untilCallback();
    const victim = new OidcBrowser(server);
    await expectFailed(victim, await victim.go(callback.href));
    // Also if the victim has begun a login of their own.
    const busy = new OidcBrowser(server);
    await busy.untilCallback();
    await expectFailed(busy, await busy.go(callback.href));
  });

  test("works once, also for a copy of the browser's cookies, and even if the provider took the code twice", async () => {
    const browser = new OidcBrowser(server);
    const callback = await browser.untilCallback();
    const cookies = browser.cookies(server.url);
    await forgeToken(() => ({}))(browser, callback);
    const copy = new OidcBrowser(server);
    copy.setCookies(server.url, cookies);
    const asked = provider.asked.length;
    await expectFailed(copy, await copy.go(callback.href));
    expect(provider.asked).toHaveLength(asked);
    await expectFailed(new OidcBrowser(server), await new OidcBrowser(server).go(callback.href));
  });

  test("with a code that was used, another state or another issuer is refused", async () => {
    const used = new OidcBrowser(server);
    const first = await used.untilCallback();
    await used.go(first.href);
    for (const change of [
      { code: first.searchParams.get("code") ?? "" },
      { code: "invented" },
      { state: "A".repeat(43) },
      { iss: "https://evil.example" },
      { iss: null },
      { state: null },
    ]) {
      const browser = new OidcBrowser(server);
      const callback = await browser.untilCallback();
      for (const [name, value] of Object.entries(change)) {
        if (value === null) callback.searchParams.delete(name);
        else callback.searchParams.set(name, value);
      }
      await expectFailed(browser, await browser.go(callback.href));
    }
  });

  test("after ten minutes is refused", async () => {
    const browser = new OidcBrowser(server);
    const callback = await browser.untilCallback();
    const name = "parley_oidc";
    const flow = JSON.parse(
      Buffer.from(browser.cookies(server.url).split(`${name}=`)[1] ?? "", "base64url").toString(),
    );
    const late = Buffer.from(JSON.stringify({ ...flow, startedAt: flow.startedAt - 600_001 })).toString("base64url");
    browser.setCookies(server.url, `${name}=${late}`);
    await expectFailed(browser, await browser.go(callback.href));
  });

  test("sends the verifier of the browser's own login, a secret that is in no address", async () => {
    const answer = await server.guest.get("/api/auth/oidc/start");
    const cookie = answer.headers.getSetCookie()[0] ?? "";
    expect(cookie).toMatch(/^parley_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const flow = JSON.parse(Buffer.from(cookie.split(/[=;]/)[1] ?? "", "base64url").toString());
    const url = new URL(answer.headers.get("location") ?? "");
    expect([url.origin, url.searchParams.get("code_challenge_method")]).toEqual([provider.issuer, "S256"]);
    expect(url.href).not.toContain(flow.verifier);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

describe("a provider", () => {
  const first = async (tamper: TestProvider["tamper"]) => {
    await using other = await startTestServer(provider.settings());
    provider.tamper = tamper;
    const { url } = await new OidcBrowser(other).logIn();
    return { at: url.pathname + url.search };
  };
  const isDocument = (path: string | undefined) => path === "/.well-known/openid-configuration";

  test("that is away makes no login, and does not make people wait", async () => {
    await using other = await startTestServer(provider.settings({ oidcIssuer: "http://127.0.0.1:1/" }));
    const { url } = await new OidcBrowser(other).logIn();
    expect(url.pathname + url.search).toBe("/?error=oidc_failed");
  });

  test("that names another issuer is not used", async () => {
    const lie = { issuer: "https://evil.example", authorization_endpoint: "https://evil.example/auth" };
    const { at } = await first((request, response) => isDocument(request.url) && json(response, lie));
    expect(at).toBe("/?error=oidc_failed");
  });

  test("that sends without end, or compressed, or redirects, is given up", async () => {
    const endless = await first((request, response) => {
      if (!isDocument(request.url)) return false;
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
      };
      response.on("drain", more);
      more();
      return true;
    });
    expect(endless.at).toBe("/?error=oidc_failed");
    const zipped = await first((request, response) => {
      if (!isDocument(request.url)) return false;
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(Bun.gzipSync(JSON.stringify({ issuer: provider.issuer })));
      return true;
    });
    expect(zipped.at).toBe("/?error=oidc_failed");
    const led = await first((request, response) => {
      if (!isDocument(request.url)) return false;
      response.writeHead(302, { location: `${provider.issuer}/elsewhere` }).end();
      return true;
    });
    expect([led.at, provider.asked.at(-1)]).toEqual(["/?error=oidc_failed", "/.well-known/openid-configuration"]);
  });

  test("that does not answer is given up", async () => {
    await using other = await startTestServer(provider.settings());
    provider.tamper = ({ url }) => isDocument(url);
    const { url } = await impatiently(other, () => new OidcBrowser(other).logIn());
    expect(url.pathname + url.search).toBe("/?error=oidc_failed");
  });

  test("is asked for its documents once, and known ones serve while it is away", async () => {
    await using other = await startTestServer(provider.settings());
    const documents = () => provider.asked.filter(isDocument).length;
    const before = documents();
    const starts = Array.from({ length: 5 }, () => other.guest.get("/api/auth/oidc/start"));
    const places = (await Promise.all(starts)).map(({ headers }) => headers.get("location") ?? "");
    expect(places.every((place) => place.startsWith(provider.issuer))).toBe(true);
    expect(documents()).toBe(before + 1);
    provider.tamper = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    expect((await other.guest.get("/api/auth/oidc/start")).headers.get("location")).toStartWith(provider.issuer);
  });
});

test("more than 20 starts a minute from one address are refused", async () => {
  await using other = await startTestServer(provider.settings({ rateFactor: 1 }));
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) statuses.push((await other.guest.get("/api/auth/oidc/start")).status);
  expect(statuses).toEqual([...Array(20).fill(302), 429]);
});

test("without a provider in the settings the browser gets the page with oidc_disabled", async () => {
  await using other = await startTestServer();
  const { headers } = await other.guest.get("/api/auth/oidc/start");
  expect(headers.get("location")).toBe("/?error=oidc_disabled");
});
