import { expect, test } from "bun:test";
import { forAllTests } from "../../support/for-all-tests.ts";
import { OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { TestProvider } from "../../support/oidc-provider.ts";
import { eventually, startTestServer } from "../../support/servers/test-server.ts";

const provider = await forAllTests(TestProvider.start());
const server = await forAllTests(
  startTestServer({ ...provider.settings(), rateLimits: "off", trustedProxies: ["127.0.0.1"] }),
);

/** Somebody's logins, which the provider answers late, hold up nobody else's (protocol §13.9). */
test("one address redeems few codes at a time, and others log in meanwhile", async () => {
  const from = (network: string) => new OidcBrowser(server, { "x-forwarded-for": network });
  const slow = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const browser = from("203.0.113.7");
      return { browser, callback: await browser.untilCallback() };
    }),
  );
  const answered = Promise.withResolvers<void>();
  let redeemed = 0;
  provider.tamper = async ({ url }, response) => {
    if (url !== "/token") return false;
    redeemed += 1;
    await answered.promise;
    response.writeHead(500).end();
    return true;
  };
  const ends = slow.map(({ browser, callback }) => browser.go(callback.href));
  await eventually("all that may ask at once do", () => redeemed === 4);
  provider.tamper = () => false;
  provider.account = { sub: "bob", preferred_username: "bob" };
  const other = from("198.51.100.9");
  await other.logIn();
  expect(await userOf(server, other)).toBe("bob");
  expect(redeemed).toBe(4);
  answered.resolve();
  const queries = (await Promise.all(ends)).map(({ url }) => url.search);
  expect(queries.filter((query) => query === "?error=oidc_failed")).toHaveLength(4);
  expect(queries.filter((query) => query === "")).toHaveLength(16);
});
