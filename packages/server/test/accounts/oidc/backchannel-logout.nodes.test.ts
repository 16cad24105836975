import { expect, test } from "bun:test";
import { startNodes } from "../../support/cluster/start-nodes.ts";
import { announceLogout, OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { TestProvider } from "../../support/oidc-provider.ts";
import { LiveSocket } from "../../support/servers/live-socket.ts";
import type { TestServer } from "../../support/servers/test-server.ts";

test("on several nodes, a login begins at one and is completed at another, and a logout ends it on all", async () => {
  await using provider = await TestProvider.start();
  await using cluster = await startNodes(2, { bus: "memory", config: provider.settings() });
  const [one, two] = cluster.nodes as [TestServer, TestServer];
  provider.account = { sub: "ann", preferred_username: "ann" };
  const browser = new OidcBrowser(one);
  const callback = await browser.untilCallback();
  const moved = new OidcBrowser(two);
  moved.setCookies(two.url, browser.cookies(one.url));
  // As behind a load balancer with one name, which the redirect URI has.
  const config = { ...two.ctx.config, publicUrl: one.url };
  Object.defineProperty(two.ctx, "config", { value: config });
  const { url } = await moved.go(`${two.url}${callback.pathname}${callback.search}`);
  expect([url.search, await userOf(two, moved)]).toEqual(["", "ann"]);

  const cookie = { cookie: moved.cookies(two.url) };
  await using socket = await LiveSocket.open(one.url, cookie);
  const started = performance.now();
  const token = await provider.sign(provider.logoutClaims({ sub: "ann" }));
  expect((await announceLogout(two, token)).body.ended_sessions).toBe(1);
  expect((await socket.whenClosed()).code).toBe(4401);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect((await announceLogout(one, token)).body.code).toBe("invalid_logout_token");
  // A copy of the state is refused on the other node.
  const copy = new OidcBrowser(one);
  copy.setCookies(one.url, browser.cookies(one.url));
  expect((await copy.go(callback.href)).url.search).toBe("?error=oidc_failed");
});
