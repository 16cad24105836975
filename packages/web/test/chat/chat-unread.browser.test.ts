import { beforeEach, describe, expect, test } from "bun:test";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

describe("a channel with unread messages", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    const { body } = await ana.post("/api/channels", { name: "Hall" });
    await ben.post(`/api/channels/${body.channel_id}/join`, {});
  });

  /** Lets ana write; ben has read the first `read` messages. */
  const fill = async (read: number, unread: number) => {
    for (let n = 1; n <= read + unread; n++) {
      await ana.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` });
      const { channels } = (await ben.get("/api/channels")).body;
      const hall = channels.find((each: { channel_slug: string }) => each.channel_slug === "hall");
      if (n === read) await ben.post(`/api/channels/${hall.id}/read`, {});
    }
  };
  const unreadOf = async (user: Client): Promise<number> =>
    (await user.get("/api/channels")).body.channels.find(
      (each: { channel_slug: string }) => each.channel_slug === "hall",
    ).unread_count;
  /** Opens another page, then the channel over a slow network. */
  const openSlowly = async (size: { width: number; height: number }): Promise<ChatVisit> => {
    const visit = await world.open({ as: ben, at: "#/c/general", viewport: size });
    const session = await visit.page.context().newCDPSession(visit.page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 80,
      downloadThroughput: 500_000,
      uploadThroughput: 500_000,
    });
    await visit.page.evaluate("location.hash = '#/c/hall'");
    return visit;
  };
  /** True if the message is whole in the visible part of the list. */
  const isInView = async (visit: ChatVisit, text: string): Promise<boolean> => {
    const [row, list] = [visit.page.getByText(text, { exact: true }), visit.page.locator(".scroller")];
    if ((await row.count()) === 0) return false;
    const [it, frame] = [await row.boundingBox(), await list.boundingBox()];
    return it !== null && frame !== null && it.y >= frame.y && it.y + it.height <= frame.y + frame.height;
  };

  for (const [unread, about] of [
    [45, "a page"],
    [80, "several pages"],
  ] as const) {
    test(`opens at the first of ${about} of them, and what was not seen stays unread`, async () => {
      await fill(30, unread);
      const visit = await openSlowly({ width: 1000, height: 700 });
      const line = visit.page.locator(".new-line");
      await line.waitFor();
      await visit.placeOf(line);
      await eventually("the first unread message is in view", () => isInView(visit, "number 31."));
      expect(await isInView(visit, "number 30.")).toBe(true);
      expect(await isInView(visit, `number ${30 + unread}.`)).toBe(false);
      // What is in view is read, and the rest is not.
      await eventually("some are read", async () => (await unreadOf(ben)) < unread);
      const rest = await unreadOf(ben);
      expect(rest).toBeGreaterThan(unread - 30);
      expect(await isInView(visit, `number ${30 + unread - rest}.`)).toBe(true);
      await visit.page
        .getByRole("link", { name: /Hall/ })
        .getByText(/^(99\+|\d+)$/)
        .first()
        .waitFor();
      await visit.page.locator(".scroller").hover();
      await eventually("all are seen", async () => {
        await visit.page.mouse.wheel(0, 400);
        await visit.drawn();
        return isInView(visit, `number ${30 + unread}.`);
      });
      await eventually("all are read", async () => (await unreadOf(ben)) === 0);
    });
  }

  test("marks what is on the screen as read before the list hears of its last scroll", async () => {
    // All are loaded at once: the list could not make room for older ones.
    await fill(3, 45);
    const visit = await openSlowly({ width: 1000, height: 700 });
    await visit.placeOf(visit.page.locator(".new-line"));
    await eventually("some are read", async () => (await unreadOf(ben)) < 45);
    const before = await unreadOf(ben);
    await visit.page.evaluate("addEventListener('scroll', (event) => event.stopImmediatePropagation(), true)");
    await visit.page.evaluate("document.querySelector('.scroller').scrollTop += 150");
    await eventually("more are read", async () => (await unreadOf(ben)) < before);
    const rest = await unreadOf(ben);
    expect(await isInView(visit, `number ${48 - rest}.`)).toBe(true);
    expect(await isInView(visit, `number ${49 - rest}.`)).toBe(false);
  });

  test("opens at its end if all of them fit, and follows new ones", async () => {
    await fill(30, 3);
    const visit = await openSlowly({ width: 1000, height: 900 });
    await visit.page.locator(".new-line").waitFor();
    await eventually("the last is in view", () => isInView(visit, "number 33."));
    await eventually("all are read", async () => (await unreadOf(ben)) === 0);
    for (let n = 34; n <= 50; n++) {
      await ana.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` });
    }
    await eventually("the newest is in view", () => isInView(visit, "number 50."));
    await eventually("all are read", async () => (await unreadOf(ben)) === 0);
  });

  test("shows how many came while nobody looked, and leads to the first of them", async () => {
    await fill(40, 0);
    const visit = await world.open({ as: ben, at: "#/c/hall", viewport: { width: 1000, height: 700 } });
    await eventually("the last is in view", () => isInView(visit, "number 40."));
    await visit.page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))");
    for (let n = 41; n <= 71; n++) {
      await ana.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` });
    }
    await eventually("the newest is in view", () => isInView(visit, "number 71."));
    expect(await unreadOf(ben)).toBe(31);
    await visit.page.evaluate("delete document.hasFocus; dispatchEvent(new Event('focus'))");
    const pill = visit.page.getByRole("button", { name: "31 new messages above" });
    await pill.click();
    await eventually("the first of them is in view", () => isInView(visit, "number 41."));
    await pill.waitFor({ state: "detached" });
    expect(await isInView(visit, "number 40.")).toBe(true);
    await visit.page.getByRole("button", { name: "Jump to the newest messages" }).click();
    await eventually("the newest is in view again", () => isInView(visit, "number 71."));
    expect(await pill.count()).toBe(0);
  });

  test("stays where the reader is when the page was offline for long", async () => {
    await fill(90, 0);
    const visit = await world.open({ as: ben, at: "#/c/hall", viewport: { width: 1000, height: 700 } });
    const line = await lineOf(visit.page);
    await visit.page.reload();
    await visit.live();
    await eventually("the last is in view", () => isInView(visit, "number 90."));
    await visit.page.locator(".scroller").hover();
    await eventually("the reader is further up", async () => {
      await visit.page.mouse.wheel(0, -400);
      await visit.drawn();
      return isInView(visit, "number 55.");
    });
    const row = visit.page.getByText("number 55.", { exact: true });
    const before = await visit.placeOf(row);
    await line.cut(true);
    await visit.page.locator(".connection[data-state=waiting]").waitFor({ state: "attached" });
    // More bytes than a socket is sent at once, so that the page reads its messages again.
    const { channel_id } = (await ana.get("/api/messages?channel_slug=hall&limit=1")).body;
    for (let n = 0; n < 250; n += 1) await ana.post("/api/messages", { channel_id, content: "字".repeat(4_000) });
    const reread = visit.page.waitForResponse(/\/api\/messages\?limit=50/);
    await line.cut(false);
    await visit.page.evaluate("dispatchEvent(new Event('online'))");
    await reread;
    await visit.live();
    await eventually("it is where it was", async () => {
      const now = await visit.placeOf(row);
      return Math.abs(now.y - before.y) < 2;
    });
    expect(await isInView(visit, "number 55.")).toBe(true);
  });
});
