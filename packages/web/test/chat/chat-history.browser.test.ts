import { describe, expect, test } from "bun:test";
import { searchConsumer } from "../../../server/src/search/index/message-index.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";

/** A time limit against hanging, long enough for a busy machine. */
const TURN_MS = 60_000;
const TEST_MS = 120_000;

describe("history in a browser", () => {
  const world = eachServer();

  /** Creates a channel with messages "number 1." to "number <count>." and returns their ids. */
  async function fill(client: Client, count: number): Promise<number[]> {
    await client.post("/api/channels", { name: "Hall" });
    const ids: number[] = [];
    for (let n = 1; n <= count; n++) {
      const { body } = await client.post("/api/messages", { channel_slug: "hall", content: `number ${n}.` });
      ids.push(body.message_id);
    }
    return ids;
  }
  const open = (as?: Client, at = "#/c/hall") => world.open({ ...(as === undefined ? {} : { as }), at });
  const numbersOf = async (visit: ChatVisit) => (await visit.texts()).map((text) => Number(/\d+/.exec(text)?.[0]));
  const hall = async (client: Client): Promise<number> => {
    const { body } = await client.get("/api/channels");
    return body.channels.find((each: { channel_slug: string }) => each.channel_slug === "hall").id;
  };
  /** The positions at which the numbers are not consecutive. */
  const gapsIn = (numbers: number[]) =>
    numbers.flatMap((n, at) => (at === 0 || n === (numbers[at - 1] ?? 0) + 1 ? [] : [[numbers[at - 1], n]]));

  test(
    "scrolling up loads older messages in order without moving the view, and the button returns to the end",
    async () => {
      const ana = await world.server.user("ana");
      await fill(ana, 230);
      const visit = await open();
      const { page } = visit;
      await visit.waitFor("number 230.");
      const scroller = page.locator(".scroller");
      await scroller.hover();
      const seen = new Set<number>();
      await eventually(
        "the beginning is reached",
        async () => {
          const numbers = await numbersOf(visit);
          expect(gapsIn(numbers)).toEqual([]);
          for (const n of numbers) seen.add(n);
          await page.mouse.wheel(0, -300);
          // The wheel turns only as fast as the page draws.
          await visit.drawn();
          return page.getByText("number 1.", { exact: true }).isVisible();
        },
        TURN_MS,
      );
      for (const n of await numbersOf(visit)) seen.add(n);
      expect(seen.size).toBe(230);
      // Only visible rows are in the page.
      expect((await visit.texts()).length).toBeLessThan(80);
      await page.getByRole("button", { name: "Jump to the newest messages" }).click();
      await page.getByText("number 230.").waitFor();
      expect(gapsIn(await numbersOf(visit))).toEqual([]);
    },
    TEST_MS,
  );

  test("messages that arrive while the user reads above do not move the view, and wait behind the button", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await fill(ana, 120);
    await ben.post(`/api/channels/${await hall(ana)}/join`, {});
    const visit = await open(ben);
    const { page } = visit;
    await visit.waitFor("number 120.");
    await page.locator(".scroller").hover();
    await page.mouse.wheel(0, -600);
    const anchor = page.locator("article.message", { hasText: "number 88." });
    await page.getByRole("button", { name: "Jump to the newest messages" }).waitFor();
    const before = await visit.placeOf(anchor);
    for (const content of ["news one", "news two"]) {
      await ana.post("/api/messages", { channel_slug: "hall", content });
    }
    await page.getByText("New messages").waitFor();
    expect((await anchor.boundingBox())?.y).toBeCloseTo(before.y, 0);
    await page.getByRole("button", { name: "Jump to the newest messages" }).click();
    await visit.waitFor("news two");
  });

  test(
    "a link to an old message shows it with its neighbours, and both directions load more",
    async () => {
      const ana = await world.server.user("ana");
      const ids = await fill(ana, 200);
      // The highlight is short, so nothing else is waited for first.
      const page = await world.visits.open(`${world.server.url}/#/c/hall/${ids[59]}`);
      await page.locator(".highlighted", { hasText: "number 60." }).waitFor();
      const visit = ChatVisit.of(page);
      await visit.live();
      expect(await page.getByText("number 200.").count()).toBe(0);
      await page.locator(".scroller").hover();
      await eventually(
        "the end is reached",
        async () => {
          await page.mouse.wheel(0, 600);
          await visit.drawn();
          expect(gapsIn(await numbersOf(visit))).toEqual([]);
          // With nothing below, new messages become visible.
          const isAway = await page.getByRole("button", { name: "Jump to the newest messages" }).isVisible();
          return !isAway && page.getByText("number 200.").isVisible();
        },
        TURN_MS,
      );
      await ana.post("/api/messages", { channel_slug: "hall", content: "number 201." });
      await visit.waitFor("number 201.");
    },
    TEST_MS,
  );

  test("edits and deletions are shown, and a refused message can be resent or discarded", async () => {
    const ana = await world.server.user("ana");
    const ids = await fill(ana, 5);
    const visit = await open(await world.server.user("ben"));
    await visit.waitFor("number 5.");
    await ana.put(`/api/messages/${ids[4]}`, { content: "changed" });
    await ana.delete(`/api/messages/${ids[3]}`);
    await visit.waitFor("(edited)");
    await visit.waitFor("This message was deleted.");
    await ana.put(`/api/channels/${await hall(ana)}`, { slow_mode_seconds: 600 });
    await visit.say("once");
    await visit.message("once").locator("visible=true").waitFor();
    await visit.say("may I?");
    await visit.waitFor("Not sent:");
    await visit.page.getByRole("button", { name: "Try again" }).click();
    await visit.waitFor("Not sent:");
    await visit.page.getByRole("button", { name: "Discard" }).click();
    await eventually("it is gone", async () => (await visit.message("may I?").count()) === 0);
    await visit.field.fill("x".repeat(4_001));
    await visit.waitFor("1 over the limit");
    await visit.field.press("Enter");
    expect(await visit.page.locator(".pending").count()).toBe(0);
    expect(await visit.field.inputValue()).toHaveLength(4_001);
  });

  test("pins are listed, and a search result is highlighted and opens its place", async () => {
    const ana = await world.server.user("ana");
    const ids = await fill(ana, 150);
    await ana.post(`/api/messages/${ids[9]}/pin`);
    await ana.post("/api/messages", { channel_slug: "hall", content: "the quick brown fox" });
    const visit = await open(ana);
    const { page } = visit;
    await visit.waitFor("quick brown");
    await page.getByRole("button", { name: "Pinned messages" }).click();
    const side = page.locator(".side");
    await side.getByText("number 10.").waitFor();
    await visit.act("quick brown", "More", "Pin");
    await side.getByText("the quick brown fox").waitFor();
    await page.getByRole("button", { name: "Search" }).click();
    await searchConsumer(world.server.ctx).flush();
    await side.getByRole("searchbox").fill('"number 33"');
    await page.keyboard.press("Enter");
    expect(await side.locator("mark").first().innerText()).toContain("number");
    await side.getByRole("link").first().click();
    await page.locator(".highlighted", { hasText: "number 33." }).waitFor();
  });

  test("a message's menu stays open while the pointer moves to it, across other messages and slowly", async () => {
    const ana = await world.server.user("ana");
    const ids = await fill(ana, 30);
    const visit = await open(ana);
    const { page } = visit;
    await visit.waitFor("number 30.");
    const pins = async () => (await ana.get(`/api/channels/${await hall(ana)}/pins`)).body.messages;
    const button = (name: string) => page.getByRole("button", { name, exact: true }).locator("visible=true");
    const goTo = async (name: string) => {
      const box = await button(name).boundingBox();
      if (box === null) throw new Error(`${name} is not there.`);
      await page.mouse.move(box.x + 10, box.y + box.height / 2, { steps: 60 });
    };
    for (const n of [30, 20]) {
      // A list that is still being measured moves the message from under the pointer.
      await visit.pointAt(`number ${n}.`);
      await visit.placeOf(visit.message(`number ${n}.`));
      await visit.pointAt(`number ${n}.`);
      await goTo("More");
      await button("More").click();
      await goTo("Pin");
      await button("Pin").click();
      await eventually("it is pinned", async () => (await pins())[0]?.id === ids[n - 1]);
      // The message is grouped under the name of the one before it, and its actions are visible anyway.
      await visit.message(`number ${n}.`).getByText("pinned", { exact: true }).waitFor();
      // Then the actions follow the pointer again.
      await visit.pointAt(`number ${n - 2}.`);
    }
  });
});
