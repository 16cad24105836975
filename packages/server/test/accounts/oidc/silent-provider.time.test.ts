import { expect, test } from "bun:test";
import { OidcBrowser } from "../../support/oidc-browser.ts";
import { TestProvider } from "../../support/oidc-provider.ts";
import { startTestServer } from "../../support/servers/test-server.ts";

/** The page waits for a login this long at most. */
const LOGIN_MS = 9_000;

test("a login gives up a provider that does not answer within seconds", async () => {
  await using provider = await TestProvider.start();
  await using server = await startTestServer(provider.settings());
  provider.tamper = ({ url }) => url === "/.well-known/openid-configuration";
  const started = performance.now();
  const { url } = await new OidcBrowser(server).logIn();
  expect(url.pathname + url.search).toBe("/?error=oidc_failed");
  expect(performance.now() - started).toBeLessThan(LOGIN_MS);
});
