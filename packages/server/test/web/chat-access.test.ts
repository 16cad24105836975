import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { ChatVisit } from "../support/chat-visit.ts";
import { eventually, startTestServer, type TestServer } from "../support/test-server.ts";
import { Visits } from "../support/visits.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

/** What axe finds, a line each. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(await Bun.file(AXE).text());
  return page.evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
}

describe.if(hasBrowser)("the chat for everybody", () => {
  let browser: Browser;
  let server: TestServer;
  let visits: Visits;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    visits = new Visits(browser);
    server = await startTestServer();
  });
  afterEach(async () => {
    await visits.leave();
    await server[Symbol.asyncDispose]();
    expect(visits.complaints()).toEqual([]);
  });

  const open = (options: Parameters<typeof ChatVisit.open>[2] = {}) => ChatVisit.open(visits, server.url, options);

  test.each(["light", "dark"] as const)("axe finds nothing on the main views, %s", async (colorScheme) => {
    const ana = await server.user("ana");
    const ben = await server.user("ben");
    const scout = await server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    await ana.post("/api/channels", { name: "Hall", topic: "All and everything" });
    const { body } = await ana.post("/api/messages", { channel_slug: "hall", content: "@ben see https://example.com" });
    await ben.put(`/api/messages/${body.message_id}/reactions/like`);
    await ana.post("/api/messages", { channel_slug: "hall", content: "a reply", reply_to_id: body.message_id });
    const { page, ...visit } = await open({ as: ana, at: "#/c/hall", colorScheme, bypassCSP: true });
    await page.getByText("a reply").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByText("a reply").hover();
    await page.getByRole("button", { name: "More", exact: true }).click();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Search" }).click();
    expect(await findings(page)).toEqual([]);
    for (const [opener, closer] of [
      ["Settings", "Close"],
      ["Create a channel", "Close"],
    ] as const) {
      await page.getByRole("button", { name: opener }).click();
      expect(await findings(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: closer }).first().click();
    }
    expect(visit).toBeDefined();
    const guest = await open({ colorScheme, bypassCSP: true });
    await guest.page.getByRole("button", { name: "Create account" }).click();
    expect(await findings(guest.page)).toEqual([]);
    const phone = await open({ ...PHONE, colorScheme, bypassCSP: true });
    await phone.page.getByRole("button", { name: "Open the list of channels" }).click();
    expect(await findings(phone.page)).toEqual([]);
  });

  test("by keyboard alone: to the messages, from one to the next, to what can be done, and back", async () => {
    const as = await server.user("ana");
    for (const content of ["one", "two", "three"]) {
      await as.post("/api/messages", { channel_slug: "general", content });
    }
    const { page } = await open({ as });
    await page.getByText("three").waitFor();
    const focused = () =>
      page.evaluate("document.activeElement.closest('article')?.querySelector('.body')?.textContent");
    await page.getByRole("button", { name: "Skip to the messages" }).focus();
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("three");
    await page.keyboard.press("ArrowUp");
    await eventually("two has the focus", async () => (await focused()) === "two");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Replying to ana").waitFor();
    await eventually("one can write", async () => (await page.evaluate("document.activeElement.id")) === "text");
    await page.keyboard.type("an answer");
    await page.keyboard.press("Enter");
    await page.locator(".quote", { hasText: "two" }).waitFor();
    // Up, in an empty field, changes what was said last.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.getByText("an answer!").waitFor();
  });

  test("on a phone nothing is wider than the screen, the channels open and close, and people have their place", async () => {
    const as = await server.user("a".repeat(32));
    await as.post("/api/channels", { name: "Hall" });
    const visit = await open({ as, ...PHONE });
    const { page } = visit;
    await visit.say("w".repeat(600));
    await visit.waitFor("www");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const channels = page.getByRole("navigation", { name: "Channels" });
    expect(await channels.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Open the list of channels" }).click();
    await channels.getByRole("link", { name: "Hall" }).click();
    await page.getByRole("heading", { name: "This is the beginning of #Hall." }).waitFor();
    await channels.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "1 online" }).click();
    await page.locator(".side .person").first().waitFor();
    await page.locator(".side").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Open the list of channels" }).click();
    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("link", { name: "Get a key for your agent" }).click();
    await page.getByRole("button", { name: "Get a code" }).waitFor();
  });

  test("it speaks the browser's language, changes it and its colours when told, and remembers", async () => {
    const { page } = await open({ locale: "zh-CN", colorScheme: "light" });
    await page.getByRole("button", { name: "注册账号" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "访客 的账号" }).click();
    await page.getByRole("button", { name: "深色" }).click();
    expect(await ground()).not.toBe(light);
    await page.getByRole("button", { name: "English" }).click();
    await page.getByText("You are reading as a guest.").waitFor();
    await page.reload();
    await page.getByText("You are reading as a guest.").waitFor();
    expect(await ground()).not.toBe(light);
  });
});
