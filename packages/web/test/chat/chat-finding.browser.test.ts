import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { searchConsumer } from "../../../server/src/search/index/message-index.ts";
import { type StillClock, stillClock } from "../../../server/test/support/clock.ts";
import {
  type Client,
  eventually,
  logIn,
  startTestServer,
  type TestServer,
} from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachVisits } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";
import { Finger, PHONE } from "../support/touch.ts";

const DAY_MS = 24 * 60 * 60_000;
const DESKTOP = { viewport: { width: 1440, height: 900 } };

describe("finding messages, people and emoji", () => {
  const world = eachVisits();
  let server: TestServer;
  let clock: StillClock;
  let ana: Client;

  beforeAll(async () => {
    clock = stillClock(Date.UTC(2026, 0, 1, 12));
    server = await startTestServer({ rateLimits: "off" }, { clock });
    ana = await server.user("ana");
    const ben = await server.user("ben");
    await ana.post("/api/channels", { name: "Hall" });
    await ana.post("/api/channels", { name: "Kitchen" });
    for (let day = 1; day <= 6; day++) {
      for (const [who, text] of [
        [ana, "I have the report of"],
        [ben, "We discussed the report of"],
      ] as const) {
        await who.post("/api/messages", {
          channel_slug: "hall",
          content: `${text} January ${day}.\n\n${"more\n\n".repeat(9)}`,
        });
      }
      clock.set(DAY_MS);
    }
    await ben.post("/api/messages", { channel_slug: "kitchen", content: "The soup is ready." });
    await searchConsumer(server.ctx).flush();
    ana = await logIn(server.url, "ana");
    const { body } = await ana.get("/api/messages?channel_id=hall&limit=1");
    await ana.post(`/api/channels/${body.channel_id}/read`, { seq: body.last_seq });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  const open = (options: Parameters<typeof ChatVisit.open>[2] = {}) =>
    ChatVisit.open(world.visits, server.url, { as: ana, at: "#/c/hall", ...DESKTOP, ...options });

  test("typed filters and fields narrow a search, which finds the beginning of its last word", async () => {
    const { page } = await open();
    const side = page.locator(".side");
    const found = side.locator(".message-entry");
    await page.getByRole("button", { name: "Search" }).click();
    await side.getByRole("searchbox").fill("the repo from:ben after:2026-01-02");
    await page.keyboard.press("Enter");
    await found.first().waitFor();
    expect(await found.locator(".name").allTextContents()).toEqual(["ben", "ben", "ben", "ben"]);
    expect(await found.first().locator("mark").allTextContents()).toEqual(["the", "report"]);
    await side.getByText("Filters").click();
    await side.getByLabel("Before").fill("2026-01-05");
    await page.keyboard.press("Enter");
    await found.nth(2).waitFor({ state: "detached" });
    expect(await side.getByRole("searchbox").inputValue()).toBe("the repo from:ben after:2026-01-02 before:2026-01-05");
    await side.getByRole("button", { name: "Remove the filter from:ben" }).click();
    await side.getByRole("searchbox").press("Enter");
    await found.nth(3).waitFor();
    await side.getByRole("searchbox").fill("report before:soon");
    await page.keyboard.press("Enter");
    await side.getByText("before:soon needs a date").waitFor();
    expect(await axeProblems(page, ".side")).toEqual([]);
  });

  test("results are at the same place when the panel opens again, and an empty search goes on in all channels", async () => {
    const { page } = await open();
    const side = page.locator(".side");
    const search = page.getByRole("button", { name: "Search" }).first();
    await search.click();
    await side.getByRole("searchbox").fill("report");
    await page.keyboard.press("Enter");
    await side.locator(".message-entry").last().scrollIntoViewIfNeeded();
    const place = await side.evaluate("document.querySelector('.side').scrollTop");
    expect(place).toBeGreaterThan(100);
    await side.getByRole("button", { name: "Close" }).click();
    await search.click();
    await side.locator(".message-entry").first().waitFor();
    expect(await side.evaluate("document.querySelector('.side').scrollTop")).toBe(place);
    await side.getByRole("searchbox").fill("soup");
    await page.keyboard.press("Enter");
    await side.getByRole("button", { name: "Search all channels" }).click();
    await side.locator(".message-entry", { hasText: "soup" }).getByText("#Kitchen").waitFor();
  });

  test("a day line leads to another date by keyboard, and says when nothing follows", async () => {
    const { page } = await open();
    await page.locator(".message", { hasText: "January 6" }).last().waitFor();
    const day = page.getByRole("button", { name: "jump to a date" }).last();
    await day.focus();
    await page.keyboard.press("Enter");
    const date = page.locator(".popover:popover-open").getByLabel("Date");
    await date.fill("2026-02-01");
    await page.keyboard.press("Enter");
    await page.getByText("No messages since").waitFor();
    await date.fill("2026-01-02");
    await page.keyboard.press("Enter");
    await page.locator(".message.highlighted", { hasText: "I have the report of January 2." }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/c\/hall\/\d+$/);
  });

  test("on a phone the search panel jumps to a date and closes", async () => {
    const { page } = await open(PHONE);
    await page.getByRole("button", { name: "Search" }).click();
    const side = page.locator(".side");
    await side.getByText("Jump to a date").click();
    await side.getByLabel("Date").fill("2026-01-03");
    await side.getByRole("button", { name: "Go" }).click();
    await page.locator(".message.highlighted", { hasText: "January 3." }).waitFor();
    await side.waitFor({ state: "detached" });
  });

  test("a reaction shows who gave it to a mouse, a keyboard and a finger", async () => {
    const { body } = await ana.post("/api/messages", { channel_slug: "hall", content: "Who likes cake?" });
    const url = `/api/messages/${body.message_id}/reactions/🍰`;
    for (let n = 1; n <= 10; n++) await (await server.user(`guest${n}`)).put(url);
    await ana.put(url);
    const visit = await open();
    const reaction = visit.message("Who likes cake?").locator(".reaction");
    const names = reaction.getByText(/^guest10, guest9, .*, guest3, and 3 others$/);
    await eventually("the reaction shows names", async () => {
      // The list may move it from under the pointer.
      await reaction.hover();
      return names.isVisible();
    });
    await visit.page.getByRole("button", { name: /^🍰: 11\. Reacted: guest10/ }).waitFor();
    await visit.page.mouse.move(0, 0);
    await visit.act("Who likes cake?", "More", "Reactions");
    const dialog = visit.page.getByRole("dialog", { name: "Reactions" });
    await dialog.getByText("guest1", { exact: true }).waitFor();
    expect(await dialog.locator(".person").count()).toBe(11);
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);

    const phone = await open(PHONE);
    const finger = await Finger.on(phone.page);
    const held = phone.message("Who likes cake?").locator(".reaction");
    await phone.placeOf(held);
    await finger.press(held);
    await phone.page.getByRole("dialog", { name: "Reactions" }).getByText("guest1", { exact: true }).waitFor();
    await finger.lift();
    expect(await held.getAttribute("aria-pressed")).toBe("true");
  });

  test("the picker finds emoji by name, in a tone of skin, by keyboard alone, and remembers them", async () => {
    const visit = await open();
    const { page } = visit;
    await page.getByRole("button", { name: "Emoji" }).click();
    const search = page.getByRole("searchbox", { name: "Search emoji" });
    await search.fill("rocket");
    await page.getByRole("button", { name: "🚀", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await eventually("it is inserted", async () => (await visit.field.inputValue()) === "🚀");
    await page.getByRole("button", { name: "Emoji" }).click();
    await page.locator(".emoji-grid button").first().waitFor();
    expect(await page.locator(".emoji-grid button").first().textContent()).toBe("🚀");
    await page.getByLabel("Skin tone").selectOption({ label: "✋🏽" });
    await page.getByRole("button", { name: "People and body" }).click();
    await page.getByRole("button", { name: "👋🏽" }).waitFor();
    expect(await axeProblems(page, ".emoji-picker")).toEqual([]);
    await search.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await eventually("it is inserted", async () => (await visit.field.inputValue()) === "🚀👋🏽");
  });

  test("a colon and letters suggest emoji, as an at sign suggests names", async () => {
    const visit = await open();
    const { page, field } = visit;
    const list = page.getByRole("listbox");
    await field.pressSequentially("Well done :thum");
    await list.getByRole("option", { name: ":thumbsup:" }).waitFor();
    await field.press("Enter");
    expect(await field.inputValue()).toBe("Well done 👍 ");
    await field.pressSequentially(":tada:");
    await eventually("a whole name is replaced", async () => (await field.inputValue()) === "Well done 👍 🎉 ");
    await field.pressSequentially(":rocke");
    await list.waitFor();
    await field.press("Escape");
    await list.waitFor({ state: "detached" });
    await field.press("Enter");
    await visit.message("Well done 👍 🎉 :rocke").waitFor();
  });
});
