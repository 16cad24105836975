import { beforeEach, describe, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** Reads that fail while the socket stays connected: only time brings a retry. The test controls the page's clock. */
describe("a panel or window retries to load", () => {
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

  /** For example by a proxy that knows no server: an immediate retry does not help. */
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

  test("pins load when the server responds again", async () => {
    await refused(/\/pins$/, () => visit.page.getByRole("button", { name: "Pinned messages" }).click());
    await comes(visit.page.getByText("No pinned messages yet."));
  });

  test("a list loads when the server responds again", async () => {
    await refused(/\/api\/agents$/, () => visit.openWindow("ana", "Your agents"));
    await comes(visit.page.getByText("You don't have any agents yet."));
  });

  test("a window's code loads when the network is back", async () => {
    await visit.openAccountMenu("ana");
    await refused(/\/assets\//, () => visit.page.getByRole("button", { name: "Your profile" }).click());
    await comes(visit.page.getByRole("dialog", { name: "Your profile" }));
  });

  test("a red packet loads when the server responds again", async () => {
    const make = () => ana.post("/api/red-packets", { channel_id: 1, total_amount: "5", count: 1 });
    await refused(/\/api\/red-packets\/\d+$/, make);
    await comes(visit.page.locator(".packet").getByText("1 of 1 left"));
  });
});
