import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { ChildServer, freePort } from "../../../server/test/support/servers/child-server.ts";
import { type Client, eventually, signUp } from "../../../server/test/support/servers/test-server.ts";
import { sharedBrowser } from "../support/browser.ts";
import { ChatVisit } from "../support/chat-visit.ts";
import { PHONE } from "../support/touch.ts";
import { Visits } from "../support/visits.ts";

describe("the page while the server dies", () => {
  let browser: Browser;
  let dataDir: string;
  let server: ChildServer;

  beforeAll(async () => {
    browser = await sharedBrowser();
    dataDir = await mkdtemp(join(tmpdir(), "parley-chat-"));
    server = new ChildServer(dataDir, freePort());
    await server.start();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  const user = (name: string): Promise<Client> => signUp(server.url, name);

  test("after a kill and restart the page reports it and shows missed messages once, completely", async () => {
    const visits = new Visits(browser);
    const [ana, ben] = [await user("ana"), await user("ben")];
    const visit = await ChatVisit.open(visits, server.url, { as: ben });
    const said: string[] = [];
    const say = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const content = `word ${said.length + 1}.`;
        said.push(content);
        await ana.post("/api/messages", { channel_slug: "general", content });
      }
    };
    await say(3);
    await visit.waitFor("word 3.");
    await visit.hasAllCode();
    for (let round = 1; round <= 3; round++) {
      await server.end("SIGKILL");
      await visit.page.getByText("Reconnecting…").first().waitFor();
      // A message written now is sent later.
      await visit.say(`from ben ${round}.`);
      await visit.page.locator(".pending").waitFor();
      await server.start();
      await say(2);
      await visit.live();
      await eventually(
        "all is there",
        async () => {
          const texts = await visit.texts();
          return texts.includes(`from ben ${round}.`) && texts.includes(said.at(-1) ?? "");
        },
        20_000,
      );
      await say(1);
      await visit.waitFor(said.at(-1) ?? "");
    }
    expect(await visit.page.locator(".pending").count()).toBe(0);
    const { body } = await ana.get("/api/messages?channel_id=general&limit=200");
    const stored = body.messages.map(({ content }: { content: string }) => content);
    expect(await visit.texts()).toEqual(stored);
    expect(stored.filter((text: string) => text.startsWith("word"))).toEqual(said);
    expect(stored.filter((text: string) => text.startsWith("from ben")).length).toBe(3);
    await visits.leave();
    // The browser itself logs broken connections.
    expect(visits.complaints().filter((line) => !/ERR_CONNECTION|WebSocket connection/.test(line))).toEqual([]);
  });

  test("after a long absence the page shows the newest messages in order, and older ones by scrolling", async () => {
    const visits = new Visits(browser);
    const cat = await user("cat");
    await cat.post("/api/messages", { channel_slug: "general", content: "dry." });
    const visit = await ChatVisit.open(visits, server.url, { as: cat });
    await visit.waitFor("dry.");
    await visit.goOffline();
    // Chromium keeps an open socket, so the server ends it.
    await server.end("SIGTERM");
    await server.start();
    for (let n = 1; n <= 1_100; n++) {
      await cat.post("/api/messages", { channel_slug: "general", content: `flood ${n}.` });
    }
    await visit.page.context().setOffline(false);
    await eventually("the newest is there", async () => (await visit.texts()).at(-1) === "flood 1100.", 30_000);
    const numbers = (await visit.texts()).map((text) => Number(/flood (\d+)/.exec(text)?.[1]));
    expect(numbers).toEqual(numbers.map((_, at) => 1_100 - (numbers.length - 1 - at)));
    await visits.leave();
    expect(visits.complaints().filter((line) => !/ERR_|WebSocket connection/.test(line))).toEqual([]);
  });

  test("on a phone a banner above the composer reports it, until the connection is back", async () => {
    const visits = new Visits(browser);
    const visit = await ChatVisit.open(visits, server.url, { as: await user("cleo"), ...PHONE });
    const banner = visit.page.locator(".connection-banner");
    await visit.field.waitFor();
    expect(await banner.innerText()).toBe("");
    await server.end("SIGKILL");
    const text = banner.getByText("Messages you send now will be delivered when you're back online.");
    await text.waitFor();
    const [above, field] = [await visit.placeOf(text), await visit.placeOf(visit.field)];
    expect(above.y).toBeGreaterThan(0);
    expect(above.y + above.height).toBeLessThan(field.y);
    expect(above.x + above.width).toBeLessThanOrEqual(PHONE.viewport.width);
    await visit.say("for later");
    await server.start();
    await text.waitFor({ state: "detached" });
    await visit.page.locator(".pending").waitFor({ state: "detached" });
    await visit.waitFor("for later");
    await visits.leave();
  });
});
