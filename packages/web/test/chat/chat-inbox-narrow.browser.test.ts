import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { sayId } from "../../../server/test/support/say.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

const WIDTH = 320;
const PHONE = { viewport: { width: WIDTH, height: 568 }, hasTouch: true, isMobile: true } as const;

/** The styles of the catch-up page (`styles/catch-up.css`) where there is little room. */
describe("catch up on a phone", () => {
  const world = eachServer();

  test("long names and messages leave room for the buttons, and what needs a keyboard is not shown", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const long = "A channel with a name that is much longer than a phone is wide";
    for (const name of ["Short", long]) {
      const { id, slug } = await newChannel(ann, { name });
      await ben.post(`/api/channels/${id}/join`);
      for (let n = 0; n < 3; n += 1) await sayId(ann, slug, `message ${n} ${"very ".repeat(60)}long`);
    }
    const visit = await world.open({ as: ben, at: "#/catch-up", ...PHONE });
    const { page } = visit;
    const entries = page.locator(".catch-up-entry");
    await eventually("both are listed", async () => (await entries.count()) === 2);
    const entry = entries.filter({ hasText: long });
    await entry.locator("a").focus();
    await entry.locator(".first-messages p").nth(2).waitFor();
    const style = (what: Locator, name: string) =>
      what.evaluate((it, name) => (globalThis as unknown as Styled).getComputedStyle(it).getPropertyValue(name), name);
    const linesOf = async (what: Locator) =>
      ((await what.boundingBox())?.height ?? 0) / Number.parseFloat(await style(what, "line-height"));

    const done = await visit.placeOf(entry.getByRole("button", { name: /^Mark as done/ }));
    const [link, name, count] = [
      await visit.placeOf(entry.locator("a")),
      await visit.placeOf(entry.locator(".head .name")),
      await visit.placeOf(entry.locator(".head .count")),
    ];
    // The name ends with dots on its one line, before the count, and both end before the button, which is in the entry.
    expect(name.x + name.width).toBeLessThanOrEqual(count.x);
    expect(count.x + count.width).toBeLessThanOrEqual(done.x);
    expect(done.x + done.width).toBeLessThanOrEqual(link.x + link.width);
    expect([done.y >= link.y, done.y + done.height <= link.y + link.height]).toEqual([true, true]);
    expect(await linesOf(entry.locator(".head .name"))).toBeLessThan(1.5);
    expect(await linesOf(entry.locator(".head .count"))).toBeLessThan(1.8);
    expect(await style(entry.locator(".head .name"), "text-overflow")).toBe("ellipsis");

    // Three lines of each message, none of them cut.
    const shown = entry.locator(".first-messages");
    for (const message of await shown.locator("p").all()) {
      expect(Math.round(await linesOf(message))).toBe(3);
    }
    const isWhole = (it: unknown) => {
      const { scrollHeight, clientHeight } = it as Record<string, number>;
      return scrollHeight === clientHeight;
    };
    expect(await shown.evaluate(isWhole)).toBe(true);

    const border = (of: Locator) => style(of.locator("a"), "border-top-color");
    expect(await border(entry)).not.toBe(await border(entries.filter({ hasText: "Short" })));

    const all = page.getByRole("button", { name: "Mark all as read" });
    const { x, width } = await visit.placeOf(all);
    expect(x + width).toBeLessThanOrEqual(WIDTH);
    expect(await all.locator("span").isVisible()).toBe(false);
    expect(await all.locator("svg").isVisible()).toBe(true);
    expect(await page.locator(".only-keys").isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(WIDTH);
  });
});

/** The part of a page that functions of the test use there. */
interface Styled {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}
