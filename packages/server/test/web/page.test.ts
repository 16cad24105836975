import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { Client, PASSWORD, startTestServer, type TestServer } from "../support/test-server.ts";

const XSS = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe.if(hasBrowser)("the page in a browser", () => {
  let browser: Browser;
  let server: TestServer;
  const contexts: BrowserContext[] = [];
  /** Whatever a page complains about or asks of another host. */
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    await server[Symbol.asyncDispose]();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function openPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(8_000);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(server.url);
    await page.locator("#state[data-state=live]").waitFor();
    return page;
  }

  async function register(page: Page, username: string): Promise<void> {
    await page.locator("#account").click();
    await page.getByRole("button", { name: "Make an account" }).click();
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByPlaceholder(`Message #general as ${username}`).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("text");
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.locator("#text").fill(text);
    await page.keyboard.press("Enter");
  }

  const bodies = (page: Page) => page.locator(".message:not(.pending) .body");

  test("two people see each other's words live; an agent stands there as an agent", async () => {
    const [ana, ben] = await Promise.all([openPage(), openPage({ colorScheme: "dark", locale: "de-DE" })]);
    await register(ana, "ana");
    await register(ben, "ben");
    await say(ana, "Hello @ben, can you see this?");
    await ben.getByText("can you see this?").waitFor();
    await ben.locator(".mention.me", { hasText: "@ben" }).waitFor();
    await say(ben, "I can.");
    await ana.getByText("I can.").waitFor();

    const scout = await server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    const listed = ana.locator("#people-list li", { hasText: "Scout" });
    expect(await listed.locator(".badge").innerText()).toBe("AGENT");
    await scout.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Scout", message: "Beep." });
    const spoken = ana.locator(".message", { hasText: "Beep." });
    expect(await spoken.locator(".badge").innerText()).toBe("AGENT");
    expect(await ana.locator(".message", { hasText: "I can." }).locator(".badge").count()).toBe(0);
    expect(await bodies(ben).allInnerTexts()).toEqual(["Hello @ben, can you see this?", "I can.", "Beep."]);
    expect(await ana.locator(".pending").count()).toBe(0);
    await ana.getByText("3", { exact: true }).waitFor();
  });

  test("what could be markup is text, in words and in names", async () => {
    const page = await openPage();
    await register(page, "ana");
    await say(page, XSS);
    await page.getByText("onerror").waitFor();
    expect(await bodies(page).innerText()).toBe(XSS);
    expect(await page.locator("#messages img, #messages script").count()).toBe(0);
    expect(await page.title()).toBe("general · Parley");
  });

  test("edits and deletions show; what is older comes when asked for; a failed send can be repeated", async () => {
    const ana = await server.user("ana");
    const ids: number[] = [];
    for (let n = 1; n <= 60; n++) {
      const { body } = await ana.post("/api/messages", { channel_slug: "general", content: `number ${n}.` });
      ids.push(body.message_id);
    }
    const page = await openPage();
    await page.getByText("number 60.").waitFor();
    expect(await bodies(page).count()).toBe(50);
    await ana.put(`/api/messages/${ids[59]}`, { content: "changed" });
    await ana.delete(`/api/messages/${ids[58]}`);
    await page.getByText("changed (edited)").waitFor();
    await page.getByText("message deleted").waitFor();
    await page.locator("#earlier").click();
    await page.getByText("number 1.", { exact: true }).waitFor();
    expect(await bodies(page).count()).toBe(60);
    await register(page, "ben");
    await say(page, "x".repeat(4_001));
    await page.getByText("Not sent: A message may have at most 4,000 characters.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Not sent:").waitFor();
  });

  test("a session that ends elsewhere leaves a guest, who is told and reads on", async () => {
    const page = await openPage();
    await register(page, "ana");
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    await new Client(server.url, { cookie }).post("/api/auth/logout");
    await page.getByText("Your session is over").waitFor();
    await page.locator("#state[data-state=live]").waitFor();
    const ben = await server.user("ben");
    await ben.post("/api/messages", { channel_slug: "general", content: "still there?" });
    await page.getByText("still there?").waitFor();
    expect(await page.locator("#text").isDisabled()).toBe(true);
  });

  test("a wrong password is told in the form", async () => {
    await server.user("ana");
    const page = await openPage();
    await page.locator("#account").click();
    await page.getByLabel("Username").fill("ana");
    await page.getByLabel("Password").fill("not the right one");
    await page.keyboard.press("Enter");
    await page.getByText("Username or password is wrong.").waitFor();
    // The browser itself notes the 401.
    expect(complaints.splice(0).every((line) => line.includes("401"))).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("#login").isVisible()).toBe(false);
  });

  test("on a phone nothing is wider than the screen, and the list opens", async () => {
    const page = await openPage({ viewport: { width: 360, height: 640 }, hasTouch: true });
    await register(page, "a".repeat(32));
    await say(page, "w".repeat(600));
    await page.getByText("www").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await page.locator("#people").isVisible()).toBe(false);
    await page.locator("#people-toggle").click();
    await page.locator("#people-list li").first().waitFor();
  });
});

describe("the page's routes", () => {
  test("strict policy, files by their content's name, nothing else", async () => {
    await using server = await startTestServer();
    const page = await server.guest.get("/");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(page.body).not.toMatch(/<script>|<style|style=|onclick|https?:|%\w+%/);
    const files = [...page.body.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(new Set(files).size).toBe(3);
    for (const path of files) {
      const file = await server.guest.get(path);
      expect(file.status).toBe(200);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(file.body.length).toBeGreaterThan(100);
    }
    expect((await server.guest.get("/assets/app-000000000000.js")).body.code).toBe("not_found");
    expect((await server.guest.get("/favicon.ico")).headers.get("content-type")).toStartWith("image/svg+xml");
  });
});
