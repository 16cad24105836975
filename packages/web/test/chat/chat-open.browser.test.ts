import { beforeEach, describe, expect, test } from "bun:test";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";

/** Changes on the server while a page is open and stays connected. */
describe("a page that stays open", () => {
  const world = eachServer();
  let boss: Client;
  let ana: Client;
  let hall: number;

  beforeEach(async () => {
    [boss, ana] = [await world.server.user("boss"), await world.server.user("ana")];
    hall = (await boss.post("/api/channels", { name: "Hall" })).body.channel_id;
  });

  const say = (content: string) => boss.post("/api/messages", { channel_id: hall, content });

  test("receives a public channel's events as a guest does, after the user was removed", async () => {
    await ana.post(`/api/channels/${hall}/join`);
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    const settings = visit.page.getByRole("button", { name: "Settings" });
    await settings.waitFor();
    await say("welcome");
    await visit.waitFor("welcome");
    expect((await boss.delete(`/api/channels/${hall}/members/ana`)).status).toBe(200);
    await settings.waitFor({ state: "detached" });
    await say("and good bye");
    await visit.waitFor("and good bye");
  });

  test("asks for the channel list before its script has loaded, and once more when events arrive", async () => {
    let asked = 0;
    let isLoaded = false;
    const early = Promise.withResolvers<boolean>();
    const page = await world.visits.open(world.server.url, {}, async (page) => {
      await page.route("**/api/channels*", async (route) => {
        asked += 1;
        early.resolve(!isLoaded);
        await route.continue();
      });
      await page.route("**/assets/app-*", async (route) => {
        await early.promise;
        isLoaded = true;
        await route.continue();
      });
    });
    await page.locator(".connection[data-state=live]").waitFor({ state: "attached" });
    await page.getByText("This is the start of #general.").waitFor();
    expect(await early.promise).toBe(true);
    await eventually("the list was read again", () => asked === 2);
  });

  test("shows the channel although no socket gets through", async () => {
    const page = await world.visits.open(world.server.url, {}, async (page) => {
      await page.routeWebSocket(/\/api\/ws/, () => {});
    });
    await page.getByText("This is the start of #general.").waitFor();
  });

  test("finds a channel that was created later", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    await visit.page.getByRole("heading", { name: "This is the start of #Hall." }).waitFor();
    await boss.post("/api/channels", { name: "Annex" });
    await say("come over");
    await visit.waitFor("come over");
    await visit.page.evaluate("location.hash = '#/c/annex'");
    await visit.page.getByRole("heading", { name: "This is the start of #Annex." }).waitFor();
  });

  test("knows what was joined elsewhere when the user returns to it", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    const join = visit.page.locator(".join-line");
    await join.waitFor();
    expect((await ana.post(`/api/channels/${hall}/join`)).status).toBe(200);
    await visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await join.waitFor({ state: "detached" });
  });

  test("follows new messages after the bar below the list disappears", async () => {
    for (let n = 1; n <= 20; n++) await say(`number ${n}.`);
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 360, height: 640 } });
    await visit.waitFor("number 20.");
    await visit.placeOf(visit.message("number 20."));
    await visit.page.evaluate("document.querySelector('.join-line').style.height = '12rem'");
    await visit.placeOf(visit.message("number 20."));
    await visit.page.locator(".join-line").getByRole("button", { name: "Join" }).click();
    await visit.page.locator(".join-line").waitFor({ state: "detached" });
    await visit.placeOf(visit.message("number 20."));
    await say(`the newest ${"and longest ".repeat(20)}`);
    const list = await visit.placeOf(visit.page.locator(".scroller"));
    await eventually("the whole message is in view", async () => {
      const row = await visit.message("the newest").boundingBox();
      return row !== null && row.y + row.height <= list.y + list.height;
    });
  });

  test("switches to the user who logs in on another page of the browser, and to a guest after their logout", async () => {
    const visit = await world.open();
    const other = await visit.page.context().newPage();
    await other.goto(world.server.url);
    await ChatVisit.of(other).register("cleo");
    const account = visit.page.getByRole("button", { name: "Account menu of cleo" });
    await account.waitFor();
    await visit.live();
    await visit.say("from the first page");
    await ChatVisit.of(other).waitFor("from the first page");
    // A page in the background is drawn rarely.
    await visit.page.bringToFront();
    await account.click();
    await visit.page.getByRole("button", { name: "Log out" }).click();
    await other.getByRole("button", { name: "Create account" }).waitFor();
    // A login as another user applies here, too.
    await ChatVisit.of(visit.page).register("dora");
    await other.getByRole("button", { name: "Account menu of dora" }).waitFor();
  });

  test("shows the current pins: with edits, and without deleted messages", async () => {
    const { message_id } = (await say("the rules")).body;
    await boss.post(`/api/messages/${message_id}/pin`);
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    await visit.page.getByRole("button", { name: "Pinned messages" }).click();
    const pins = visit.page.locator("aside.side");
    await pins.getByText("the rules").waitFor();
    await pins.getByText("Pinned by boss").waitFor();
    await boss.put(`/api/messages/${message_id}`, { content: "other rules" });
    await pins.getByText("other rules").waitFor();
    await boss.delete(`/api/messages/${message_id}`);
    await pins.getByText("No pinned messages").waitFor();
  });

  test("lists each entry of the points history once, however often more is requested", async () => {
    for (let n = 0; n < 12; n += 1) {
      await ana.post("/api/red-packets", { channel_id: 1, total_amount: "1", count: 1 });
    }
    const visit = await world.open({ as: ana });
    const profile = await visit.openWindow("ana", "Your profile");
    await profile.getByText("Points history").click();
    const lines = profile.locator("details .lines li");
    await eventually("a page of them", async () => (await lines.count()) === 10);
    // Both before a response, however fast the server is.
    const more = profile.locator("details").getByRole("button", { name: "Show more" });
    await more.evaluate((button) => {
      for (let n = 0; n < 2; n += 1) if ("click" in button && typeof button.click === "function") button.click();
    });
    await eventually("more of them", async () => (await lines.count()) > 10);
    const all = (await ana.get("/api/user/ana/points?limit=100")).body.entries.length;
    await eventually("each once", async () => (await lines.count()) === all);
  });
});
