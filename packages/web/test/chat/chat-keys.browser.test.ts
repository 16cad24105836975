import { describe, test } from "bun:test";
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
});
