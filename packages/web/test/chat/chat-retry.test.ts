import { beforeEach, describe, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { hasBrowser } from "../support/browser.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** What could not be had while the socket stayed: nothing but time brings it. The page's clock is the test's. */
describe.if(hasBrowser)("what a panel or a window could not read", () => {
  const world = eachServer(undefined, [403]);
  let ana: Client;
  let visit: ChatVisit;

  beforeEach(async () => {
    ana = await world.server.user("ana");
    visit = await world.open({ as: ana });
    await visit.page.clock.install();
    await visit.page.reload();
    await visit.live();
  });

  /** By a proxy that knows no server, say: asking again at once does not help. */
  async function refused(what: RegExp, act: () => Promise<unknown>): Promise<void> {
    await visit.page.route(what, (route) => route.fulfill({ status: 403, body: "{}" }));
    await Promise.all([visit.page.waitForResponse(what), act()]);
    await visit.page.unroute(what);
  }
  const comes = (what: Locator) =>
    eventually("it comes by itself", async () => {
      await visit.page.clock.runFor(2_000);
      return what.isVisible();
    });

  test("pins", async () => {
    await refused(/\/pins$/, () => visit.page.getByRole("button", { name: "Pinned messages" }).click());
    await comes(visit.page.getByText("No pinned messages yet."));
  });

  test("a list", async () => {
    await refused(/\/api\/agents$/, () => visit.openWindow("ana", "Your agents"));
    await comes(visit.page.getByText("You have no agents yet."));
  });

  test("a window's code", async () => {
    await refused(/\/assets\//, () => visit.openWindow("ana", "Your profile"));
    await comes(visit.page.getByRole("dialog", { name: "Your profile" }));
  });

  test("a red packet", async () => {
    const make = () => ana.post("/api/red-packets", { channel_id: 1, total_amount: "5", count: 1 });
    await refused(/\/api\/red-packets\/\d+$/, make);
    await comes(visit.page.locator(".packet").getByText("1 of 1 left"));
  });
});
