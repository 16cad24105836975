import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

describe("the chat by keyboard", () => {
  const world = eachServer();

  test("closing something by keyboard restores the focus: from editing to the message, from a panel to its button", async () => {
    const ana = await world.server.user("ana");
    await ana.post("/api/messages", { channel_slug: "general", content: "a fisrt try" });
    const visit = await world.open({ as: ana });
    const { page } = visit;
    const focused = page.locator(":focus");
    const isAt = async (place: Locator) => {
      try {
        await eventually("it is focused", async () => (await place.and(focused).count()) === 1);
      } catch (error) {
        const now = await page.evaluate(
          "[document.activeElement, ...document.querySelectorAll('.side, .edit, [aria-expanded=true]')].map((it) => it?.outerHTML.slice(0, 300))",
        );
        throw new Error(`The focus is at the first of these: ${JSON.stringify(now)}`, { cause: error });
      }
    };
    for (const key of ["Escape", "Enter"]) {
      await visit.act("fisrt try", "More", "Edit");
      await isAt(page.getByRole("textbox", { name: "Edit message" }));
      await page.keyboard.press(key);
      await isAt(visit.message("fisrt try"));
    }
    for (const name of ["Search", "Pinned messages"]) {
      const button = page.getByRole("button", { name, exact: true });
      await button.press("Enter");
      await page.locator(".side").getByRole("button", { name: "Close" }).focus();
      await page.keyboard.press(name === "Search" ? "Escape" : "Enter");
      await isAt(button);
    }
  });

  test("Ctrl+Shift+F opens the search and returns to it, and from:me finds what is one's own", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await ana.post("/api/messages", { channel_slug: "general", content: "the tide table" });
    await ben.post("/api/messages", { channel_slug: "general", content: "another tide" });
    const { page } = await world.open({ as: ana });
    await page.getByText("another tide").waitFor();
    await page.keyboard.press("Control+Shift+F");
    const field = page.getByRole("searchbox");
    await eventually("the search is focused", async () => (await field.and(page.locator(":focus")).count()) === 1);
    await page.keyboard.type("tide from:me");
    await page.keyboard.press("Enter");
    await page.locator("mark").first().waitFor();
    expect(await page.locator("mark").count()).toBe(1);
    await page.locator("textarea#text").focus();
    await page.keyboard.press("Control+Shift+F");
    await eventually("it is focused again", async () => (await field.and(page.locator(":focus")).count()) === 1);
  });

  test("r replies to the focused message, + chooses a reaction, e edits what is one's own, and the help says so", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await ben.post("/api/messages", { channel_slug: "general", content: "from ben" });
    await ana.post("/api/messages", { channel_slug: "general", content: "from ana" });
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await visit.message("from ben").focus();
    await page.keyboard.press("r");
    await page.locator(".reply-line").getByText("ben").first().waitFor();
    await eventually("the composer is focused", () => page.evaluate("document.activeElement?.id === 'text'"));
    expect(await visit.field.inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await visit.message("from ben").focus();
    await page.keyboard.press("+");
    const picker = visit.message("from ben").locator(".popover:popover-open");
    await picker.waitFor();
    await page.keyboard.press("Escape");
    await picker.waitFor({ state: "detached" });
    // Nobody edits the messages of others.
    await visit.message("from ben").focus();
    await page.keyboard.press("e");
    await visit.drawn();
    expect(await page.locator(".edit").count()).toBe(0);
    await visit.message("from ana").focus();
    await page.keyboard.press("e");
    const edit = page.getByRole("textbox", { name: "Edit message" });
    await edit.waitFor();
    expect(await edit.inputValue()).toBe("from ana");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog");
    for (const name of ["Reply", "React", "Edit your message"]) await help.getByText(name, { exact: true }).waitFor();
  });
});
