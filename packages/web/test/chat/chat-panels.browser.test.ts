import { beforeEach, describe, expect, test } from "bun:test";
import { searchConsumer } from "../../../server/src/search/index/message-index.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { Finger, PHONE } from "../support/touch.ts";

describe("panels and links of the chat", () => {
  const world = eachServer();
  let ana: Client;
  let hall: number;
  let ids: number[];

  beforeEach(async () => {
    ana = await world.server.user("ana");
    hall = (await ana.post("/api/channels", { name: "Hall" })).body.channel_id;
    ids = [];
    for (let n = 1; n <= 60; n++) {
      const { body } = await ana.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` });
      ids.push(body.message_id);
    }
    await ana.post(`/api/messages/${ids[3]}/pin`);
    await searchConsumer(world.server.ctx).flush();
  });

  const search = async ({ page }: ChatVisit, text: string) => {
    await page.getByRole("searchbox").fill(text);
    await page.keyboard.press("Enter");
    await page.locator(".side .message-entry").first().waitFor();
  };
  const isHighlighted = ({ page }: ChatVisit, text: string) =>
    page.locator(".message.highlighted", { hasText: text }).waitFor();

  test("on a phone a search result and a pin close the panel that covers the conversation", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall", ...PHONE });
    const finger = await Finger.on(visit.page);
    const side = visit.page.locator(".side");
    await visit.waitFor("number 60.");
    await finger.tap(visit.page.getByRole("button", { name: "Search" }));
    await search(visit, '"number 12"');
    await finger.tap(side.locator(".message-entry").first());
    await isHighlighted(visit, "number 12.");
    await side.waitFor({ state: "detached" });
    await finger.tap(visit.page.getByRole("button", { name: "Pinned messages" }));
    await finger.tap(side.locator(".message-entry").first());
    await isHighlighted(visit, "number 4.");
    await side.waitFor({ state: "detached" });
  });

  test("on a phone a mention closes the online list that covers the composer", async () => {
    await world.open({ as: await world.server.user("ben"), at: "#/c/hall" });
    const visit = await world.open({ as: ana, at: "#/c/hall", ...PHONE });
    const finger = await Finger.on(visit.page);
    const side = visit.page.locator(".side");
    await finger.tap(visit.page.getByRole("button", { name: "2 online" }));
    await finger.tap(side.getByRole("button", { name: "Actions for ben" }));
    await finger.tap(side.getByRole("button", { name: "Mention" }));
    await side.waitFor({ state: "detached" });
    await eventually("it is written", async () => (await visit.field.inputValue()) === "@ben ");
  });

  test("the search names channels and conversations as the list of channels does", async () => {
    await world.server.user("ben");
    const { channel } = (await ana.post("/api/direct", { username: "ben" })).body;
    await ana.post("/api/messages", { channel_id: channel.id, content: "number 12, in private" });
    expect((await ana.put(`/api/channels/${hall}`, { name: "The Hall" })).status).toBe(200);
    await searchConsumer(world.server.ctx).flush();
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 1440, height: 900 } });
    await visit.page.getByRole("button", { name: "Search" }).click();
    await visit.page.getByLabel("Only in this channel").uncheck();
    await search(visit, '"number 12"');
    const found = visit.page.locator(".side .message-entry");
    await found.getByText("Conversation with ben").waitFor();
    await found.getByText("#The Hall").waitFor();
    expect(await found.getByText("direct-").count()).toBe(0);
  });

  test("the same link acts again: a search result after scrolling away, and the channel's own link", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 1440, height: 900 } });
    const { page } = visit;
    await visit.waitFor("number 60.");
    await page.getByRole("button", { name: "Search" }).click();
    await search(visit, '"number 12"');
    const result = page.locator(".side .message-entry").first();
    const newest = page.locator("article.message", { hasText: "number 60." });
    await result.click();
    await isHighlighted(visit, "number 12.");
    await page.getByRole("button", { name: "Jump to the newest messages" }).click();
    await newest.waitFor();
    await page.locator(".message.highlighted").waitFor({ state: "detached" });
    await result.click();
    await isHighlighted(visit, "number 12.");
    const own = page.locator(".sidebar").getByRole("link", { name: "Hall" });
    for (let n = 0; n < 2; n++) {
      await own.click();
      await newest.waitFor();
      await visit.placeOf(newest);
      await page.locator(".scroller").hover();
      await page.mouse.wheel(0, -2_000);
      await newest.waitFor({ state: "detached" });
    }
  });

  test("on a phone the link of the open channel closes the list of channels", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall", ...PHONE });
    const finger = await Finger.on(visit.page);
    await visit.waitFor("number 60.");
    await finger.tap(visit.page.getByRole("button", { name: "Open the channel list" }));
    const sidebar = visit.page.locator(".sidebar[data-open]");
    const own = sidebar.getByRole("link", { name: "Hall" });
    await visit.placeOf(own);
    await finger.tap(own);
    await sidebar.waitFor({ state: "detached" });
  });

  test("at 200 % zoom the online list does not cover the composer, and it returns at 100 %", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 1440, height: 900 } });
    const { page } = visit;
    await page.locator(".side").waitFor();
    const session = await page.context().newCDPSession(page);
    // The browser's zoom, as a page sees it.
    const zoom = (factor: number) =>
      session.send("Emulation.setDeviceMetricsOverride", {
        width: 1440 / factor,
        height: 900 / factor,
        deviceScaleFactor: factor,
        mobile: false,
      });
    /** True if nothing covers the element: a click in its middle reaches it. */
    const isReachable = (selector: string) =>
      page.evaluate(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)});
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      })()`);
    await visit.field.fill("a draft");
    await zoom(2);
    await eventually("the list of channels is beside", async () => page.evaluate("innerWidth === 720"));
    for (const selector of ["#text", ".composer .send"]) {
      await eventually(`${selector} is reachable`, () => isReachable(selector));
    }
    await zoom(1);
    await page.locator(".side").waitFor();
    expect(await visit.field.inputValue()).toBe("a draft");
  });
});
