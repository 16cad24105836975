import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { stillGif } from "../../../server/test/support/gifs.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const GIF = Buffer.from(stillGif()).toString("base64");
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("avatars and presence in a browser", () => {
  const world = eachServer();

  /** Returns the avatar requests that the page makes from now on. */
  function pictureCalls(page: Page): string[] {
    const calls: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.includes("avatar")) calls.push(pathname + search);
    });
    return calls;
  }
  const pictureOf = (face: Locator) => face.locator(".avatar img").getAttribute("src");
  const isDrawn = (face: Locator) =>
    face.locator(".avatar img").evaluate((image) => "naturalWidth" in image && Number(image.naturalWidth) > 0);

  test("avatars appear at messages, online and among members with one request per name, and change live", async () => {
    const people = await Promise.all(["ana", "ben", "cleo", "dan"].map((name) => world.server.user(name)));
    const [ana, ben] = people;
    if (ana === undefined || ben === undefined) throw new Error("nobody came");
    await ana.put("/api/user/ana", { avatar: GIF });
    for (const who of [...people, ...people])
      await who.post("/api/messages", { channel_slug: "general", content: "hi" });
    const visit = await world.open({ as: ben, viewport: { width: 1280, height: 800 } });
    await visit.page.goto("about:blank");
    const calls = pictureCalls(visit.page);
    // A live page requests again what it has seen before it connected; this page has seen nothing yet.
    await visit.page.route("**/api/messages?*", async (route) => {
      await visit.live();
      await route.continue();
    });
    await visit.page.goto(world.server.url);
    const row = visit.page.locator("article.message", { hasText: "ana" }).first();
    await row.locator(".avatar img").waitFor();
    await eventually("it is drawn", () => isDrawn(row));
    expect(await visit.page.locator("article.message .avatar img").count()).toBe(2);
    // Once for the messages, and perhaps once more for the online list; no name twice.
    const names = calls.flatMap((call) => new URLSearchParams(call.split("?")[1]).get("usernames")?.split(",") ?? []);
    expect(names.toSorted()).toEqual(["ana", "ben", "cleo", "dan"]);
    const { body } = await world.server.guest.get("/api/avatars?usernames=ana");
    const address = (version: string) => `/api/user/ana/avatar?v=${version}`;
    expect(await pictureOf(row)).toBe(address(body.avatars[0].version));

    // Ana gets another avatar and ben a first one: everywhere, without a request.
    calls.length = 0;
    await ana.put("/api/user/ana", { avatar: PNG });
    await ben.put("/api/user/ben", { avatar: PNG });
    const online = visit.page.locator(".side .person", { hasText: "ben" });
    await online.locator(".avatar img").waitFor();
    await visit.page.locator(".account .avatar img").waitFor();
    await eventually("the new one is there", async () => (await pictureOf(row)) !== address(body.avatars[0].version));
    await eventually("it is drawn", () => isDrawn(row));
    expect(calls.filter((call) => call.startsWith("/api/avatars"))).toEqual([]);
    await visit.page.getByRole("button", { name: "4 members" }).click();
    const members = visit.page.getByRole("dialog").locator(".person");
    await members.locator(".avatar img").nth(1).waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await visit.page.keyboard.press("Escape");

    await ana.put("/api/user/ana", { avatar: null });
    await eventually("initials again", async () => (await row.locator(".avatar img").count()) === 0);
    expect(await row.locator(".avatar").innerText()).toBe("AN");
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("an avatar that changed while the page was offline is updated when it reconnects", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await ana.post("/api/messages", { channel_slug: "general", content: "here I am" });
    const visit = await world.open({ as: ben });
    await visit.waitFor("here I am");
    const line = await lineOf(visit.page);
    await visit.page.reload();
    await visit.live();
    await visit.waitFor("here I am");
    expect(await visit.message("here I am").locator(".avatar img").count()).toBe(0);
    await line.cut(true);
    await visit.page.locator(".connection[data-state=waiting]").waitFor({ state: "attached" });
    await ana.put("/api/user/ana", { avatar: GIF });
    await line.cut(false);
    await visit.page.evaluate("dispatchEvent(new Event('online'))");
    await visit.message("here I am").locator(".avatar img").waitFor();
  });

  test("an agent that reports it is shown as thinking and then idle, and other agents have no state", async () => {
    const visit = await world.open({
      as: await world.server.user("ana"),
      viewport: { width: 1280, height: 800 },
    });
    for (const name of ["Scout", "Silent"]) {
      const agent = await world.server.agent(name);
      await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: name });
      if (name !== "Scout") continue;
      const listed = visit.page.locator(".side .person", { hasText: "Scout" });
      await listed.waitFor();
      const tell = (typing: boolean) =>
        agent.post("/api/agenthub/typing", { channel_slug: "general", agent_name: name, typing });
      await tell(true);
      await visit.waitFor("Scout is thinking…");
      await listed.getByText("thinking…").waitFor();
      expect(await axeProblems(visit.page)).toEqual([]);
      await agent.post("/api/agenthub/send", { channel_slug: "general", agent_name: name, message: "Done." });
      await visit.waitFor("Done.");
      await listed.getByText("idle").waitFor();
      await visit.page.getByText("Scout is thinking…").waitFor({ state: "detached" });
      await tell(true);
      await listed.getByText("thinking…").waitFor();
      await tell(false);
      await listed.getByText("idle").waitFor();
    }
    const silent = visit.page.locator(".side .person", { hasText: "Silent" });
    await silent.waitFor();
    expect(await silent.locator(".state").count()).toBe(0);
  });
});
