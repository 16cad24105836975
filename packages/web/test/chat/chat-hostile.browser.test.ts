import { describe, expect, test } from "bun:test";
import { XSS_CORPUS } from "../../../server/test/support/browser/xss-corpus.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

/** Elements that a conversation never contains, and attributes that nothing has. */
const FOREIGN =
  "#conversation :is(script, style, iframe, object, embed, base, meta, link, template, video, audio, details, marquee, xmp, title, b), .body :is(img, h1, h2), " +
  "[onerror], [onload], [onfocus], [onmouseover], [ontoggle], a[href^='javascript' i], a[href^='data' i], a[href^='vbscript' i]";

describe("hostile content in a browser", () => {
  const world = eachServer();

  test("makes only elements of a message from any message", async () => {
    expect(XSS_CORPUS.length).toBeGreaterThanOrEqual(100);
    const ana = await world.server.user("ana");
    const visit = await world.open();
    const kept: string[] = [];
    for (const content of XSS_CORPUS) {
      const { status, body } = await ana.post("/api/messages", { channel_slug: "general", content });
      // Messages that the server refuses (with a zero character) are not shown.
      if (status === 201) kept.push(body.chat_message.content);
      else continue;
      const shown = visit.page.locator(`[data-id="${body.message_id}"] .body`);
      await shown.waitFor({ state: "attached" });
      expect(await visit.page.locator(FOREIGN).count()).toBe(0);
    }
    expect(kept.length).toBeGreaterThanOrEqual(100);
    expect(await visit.page.title()).toBe("general · Parley");
    const links: string[] = await visit.page.evaluate(
      "[...document.querySelectorAll('.body a')].map((a) => a.getAttribute('href'))",
    );
    for (const href of links) expect(href).toMatch(/^(?:https?:\/\/[^@\s"'<>]+|mailto:[^\s"'<>]+)$/);
  });

  test("shows hostile names and topics of channels as text everywhere", async () => {
    const ben = await world.server.user("ben");
    const hostile = [`"><img src=x onerror="document.title='owned'">`, "</title><svg onload=1>", "{{7*7}}"];
    for (const name of hostile) {
      const { status } = await ben.post("/api/channels", {
        name,
        topic: name,
        description: name,
        channel_slug: `h${hostile.indexOf(name)}`,
      });
      expect(status).toBe(201);
    }
    const visit = await world.open({ as: ben });
    for (const [at, name] of hostile.entries()) {
      await visit.page.goto(`${world.server.url}/#/c/h${at}`);
      await visit.page.getByRole("heading", { level: 2, name }).waitFor();
      expect(await visit.page.locator(".topic").textContent()).toBe(name);
      expect(await visit.page.locator(FOREIGN).count()).toBe(0);
      await visit.page.getByRole("button", { name: "Settings" }).click();
      expect(await visit.page.getByRole("dialog").getByLabel("Topic").inputValue()).toBe(name);
      await visit.page.keyboard.press("Escape");
    }
  });

  test("is not broken by four thousand emoji or a name of 32 letters on a phone", async () => {
    const long = await world.server.user("n".repeat(32));
    const visit = await world.open({
      as: long,
      viewport: { width: 360, height: 640 },
      hasTouch: true,
    });
    for (const content of ["😀".repeat(4_000), "w".repeat(4_000), "\u0301".repeat(3_000)]) {
      const { body } = await long.post("/api/messages", { channel_slug: "general", content });
      await visit.page.locator(`[data-id="${body.message_id}"] .body`).waitFor({ state: "attached" });
      expect(await visit.page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    }
    await visit.field.fill("and on");
    // On a phone Enter breaks the line.
    await visit.page.getByRole("button", { name: "Send", exact: true }).click();
    await eventually("it is said", async () => (await visit.texts()).at(-1) === "and on");
  });
});
