import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { putMessages } from "../../../server/test/support/put-messages.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** More than the page keeps of a channel at once. */
const MANY = 1_300;
/** A time limit against hanging, long enough for a busy machine. */
const TURN_MS = 60_000;
const TEST_MS = 150_000;

describe("long and busy channels in a browser", () => {
  const world = eachServer();

  const numbersOf = async (visit: ChatVisit) => (await visit.texts()).map((text) => Number(/\d+/.exec(text)?.[0]));
  const fill = () =>
    putMessages(
      world.server.ctx,
      Array.from({ length: MANY }, (_, i) => ({ content: `number ${i + 1}.`, created_at: i * 40_000 })),
    );
  const say = async (client: Client, from: number, to: number) => {
    for (let n = from; n <= to; n += 1) {
      const { status } = await client.post("/api/messages", { channel_slug: "general", content: `number ${n}.` });
      expect(status).toBe(201);
    }
  };

  /** The distances that the list can be scrolled up and down from here. */
  const roomLeft = (page: Page) =>
    page.evaluate<[number, number]>(
      "(({ scrollTop: top, clientHeight, scrollHeight }) => [top, scrollHeight - clientHeight - top])(document.querySelector('.scroller'))",
    );

  /** Turns the wheel until a message is visible, and checks that the rows drawn overlap those drawn before. */
  async function turn(visit: ChatVisit, deltaY: number, until: string): Promise<void> {
    const { page } = visit;
    await page.locator(".scroller").hover();
    let before = await numbersOf(visit);
    await eventually(
      `${until} is reached`,
      async () => {
        await page.mouse.wheel(0, deltaY);
        // The wheel turns only as fast as the page draws.
        await visit.drawn();
        const now = await numbersOf(visit);
        expect(now).toEqual(Array.from(now, (_, i) => (now[0] ?? 0) + i));
        const joins = (now[0] ?? 0) <= (before.at(-1) ?? 0) + 1 && (now.at(-1) ?? 0) >= (before[0] ?? 0) - 1;
        if (!joins) throw new Error(`from ${before[0]}–${before.at(-1)} the list jumped to ${now[0]}–${now.at(-1)}`);
        before = now;
        // At the end of the list there is nothing below, so new messages become visible.
        const [, below] = await roomLeft(page);
        return (deltaY < 0 || below < 2) && page.getByText(until, { exact: true }).isVisible();
      },
      TURN_MS,
    );
  }

  test("opening the page requests its messages once, even if the identity arrives in the meantime", async () => {
    await say(await world.server.user("ana"), 1, 3);
    let asked = 0;
    const { promise: first, resolve } = Promise.withResolvers<void>();
    const page = await world.visits.open(world.server.url, {}, async (page) => {
      // The response arrives after the socket has reported the identity, and the socket is slower than the request.
      await page.routeWebSocket(/\/api\/ws/, async (socket) => {
        await first;
        socket.connectToServer();
      });
      await page.route("**/api/messages?*", async (route) => {
        asked += 1;
        resolve();
        await page.locator(".connection[data-state=live]").waitFor({ state: "attached" });
        await page.locator(".composer.closed").waitFor();
        await route.continue();
      });
    });
    await page.getByText("number 3.").waitFor();
    expect(asked).toBe(1);
  });

  test(
    "scrolling passes every message to the beginning and back, in a channel larger than the page keeps",
    async () => {
      await fill();
      const visit = await world.open();
      const { page } = visit;
      await visit.waitFor(`number ${MANY}.`);
      // Every second page is late, so the list ends before it arrives.
      let way = 0;
      let isLate = false;
      await page.route(/\/api\/messages\?.*(before|after_seq)=/, async (route) => {
        const isAhead = route.request().url().includes("before=") === (way === 0);
        isLate = isAhead && !isLate;
        if (isLate) await eventually("the end is reached", async () => ((await roomLeft(page))[way] ?? 0) < 2);
        await route.continue();
      });
      await turn(visit, -400, "number 1.");
      way = 1;
      await turn(visit, 400, `number ${MANY}.`);
    },
    TEST_MS,
  );

  test(
    "messages that arrive while the user reads above do not pile up, and scrolling down passes all of them",
    async () => {
      const ana = await world.server.user("ana");
      await say(ana, 1, 60);
      const visit = await world.open();
      const { page } = visit;
      await visit.waitFor("number 60.");
      await page.locator(".scroller").hover();
      await page.mouse.wheel(0, -800);
      await page.getByRole("button", { name: "Jump to the newest messages" }).waitFor();
      // Everything has been loaded, and the wheel has stopped. If older rows arrive during a turn, it is turned once
      // more.
      const first = page.locator("article.message").first();
      await eventually("what is older is there", async () => {
        if ((await numbersOf(visit))[0] === 1) return true;
        await page.mouse.wheel(0, -800);
        await visit.drawn();
        return false;
      });
      const { y } = await visit.placeOf(first);
      await say(ana, 61, 1_060);
      await visit.drawn();
      expect((await numbersOf(visit))[0]).toBe(1);
      expect((await first.boundingBox())?.y).toBeCloseTo(y, 0);
      const kept = async () => Number(await page.evaluate("document.querySelector('.scroller').scrollHeight"));
      // 800 rows of one line, in a channel of 1,060 messages.
      const line = Number(await page.evaluate("document.querySelector('article.continued').offsetHeight"));
      expect((await kept()) / line).toBeLessThan(900);
      await turn(visit, 400, "number 1060.");
      await say(ana, 1_061, 1_061);
      await visit.waitFor("number 1061.");
    },
    TEST_MS,
  );

  test("a channel with constant new messages is marked as read while it is visible", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await ben.post("/api/channels/1/join", {});
    const lastRead = async () => (await ben.get("/api/channels")).body.channels[0].last_read_seq;
    const visit = await world.open({ as: ben });
    await visit.field.waitFor();
    let read = 0;
    // Fewer than are counted, each soon after the one before.
    for (let n = 1; n < 95 && read === 0; n += 1) {
      await say(ana, n, n);
      await visit.drawn();
      if (n % 10 === 0) read = await lastRead();
    }
    expect(read).toBeGreaterThan(0);
  });

  test("a burst of messages in another channel is rendered together, not message by message", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await ana.post("/api/channels", { name: "Hall" });
    const { body } = await ben.get("/api/channels");
    const hall = body.channels.find((each: { channel_slug: string }) => each.channel_slug === "hall");
    await ben.post(`/api/channels/${hall.id}/join`, {});
    const visit = await world.open({ as: ben });
    const { page } = visit;
    await page.getByRole("link", { name: "Hall" }).waitFor();
    await page.evaluate(`(() => {
      globalThis.counts = new Set();
      const look = () => counts.add(document.querySelector(".channel-link .count")?.textContent);
      new MutationObserver(look).observe(document.querySelector(".lists"), { childList: true, subtree: true, characterData: true });
    })()`);
    const began = performance.now();
    await Promise.all(
      Array.from({ length: 90 }, (_, n) =>
        ana.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` }),
      ),
    );
    await page.getByRole("link", { name: /90 unread/ }).waitFor();
    const shown = Number(await page.evaluate("counts.size"));
    // At most one frame in 100 ms.
    expect(shown).toBeLessThan((performance.now() - began) / 100 + 5);
    expect(shown).toBeLessThan(80);
  });
});
