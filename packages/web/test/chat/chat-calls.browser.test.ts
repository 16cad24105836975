import { beforeEach, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";
import { fakeNotifications, type Shown, shownIn } from "../support/fake-notifications.ts";
import { Finger, PHONE } from "../support/touch.ts";

/** Titles, icons, notifications and the list of channels. */
describe("a page that calls", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;
  let hall: number;
  let den: number;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    [hall, den] = [await newChannel("Hall"), await newChannel("Den")];
    for (const id of [hall, den]) await ana.post(`/api/channels/${id}/join`);
  });

  const newChannel = async (name: string): Promise<number> =>
    (await ben.post("/api/channels", { name })).body.channel_id;
  const say = (channel_id: number, content: string) => ben.post("/api/messages", { channel_id, content });
  const write = async (content: string) =>
    say((await ben.post("/api/direct", { username: "ana" })).body.channel_id, content);
  const titled = (visit: ChatVisit, title: string) =>
    eventually(`the title is ${title}`, async () => (await visit.page.title()) === title);
  /** Opens another page in the browser of this one. */
  const another = async (context: BrowserContext, at: string): Promise<ChatVisit> => {
    const page = await context.newPage();
    await page.goto(`${world.server.url}/${at}`);
    const visit = ChatVisit.of(page);
    await visit.live();
    return visit;
  };

  test("counts mentions and direct messages in its title, icon and menu button, also after a reload", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 390, height: 844 } });
    const icon = (): Promise<string> => visit.page.evaluate("document.querySelector('link[rel=icon]').href");
    await titled(visit, "Hall · Parley");
    const plain = await icon();
    await say(den, "anybody?");
    await titled(visit, "• Hall · Parley");
    await say(den, "@ana come");
    await say(den, "@ana please");
    await write("psst");
    await titled(visit, "(3) Hall · Parley");
    expect(await icon()).toEndWith("/favicon.ico?badge=3");
    expect((await world.server.guest.get("/favicon.ico?badge=3")).status).toBe(200);
    await visit.page.reload();
    await titled(visit, "(3) Hall · Parley");
    const menu = visit.page.getByRole("button", { name: "Open the channel list (3 for you)" });
    expect(await menu.locator(".badge").getAttribute("data-count")).toBe("3");
    await ana.put("/api/notifications/settings", { channels: { [den]: { level: "none" } } });
    await titled(visit, "(1) Hall · Parley");
    await ana.post(`/api/channels/${den}/read`);
    await visit.page.evaluate("location.hash = '#/c/den'");
    await menu.or(visit.page.getByRole("button", { name: "Open the channel list (1 for you)" })).click();
    await visit.page.getByRole("link", { name: /ben/ }).click();
    await titled(visit, "ben · Parley");
    expect(await icon()).toBe(plain);
  });

  test("notifies of each message once, in whatever pages it is open, and opens it on a press", async () => {
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    const context = visit.page.context();
    await context.addInitScript(fakeNotifications);
    await visit.page.reload();
    await visit.live();
    const shown = (): Promise<Shown[]> => shownIn(visit.page);
    await say(den, "@ana before");
    await visit.page.getByRole("button", { name: "Turn on" }).click();
    await visit.page.getByRole("button", { name: "Turn on" }).waitFor({ state: "detached" });
    const other = await another(context, "#/c/general");

    const { message_id } = (await say(den, "@ana **look** at [this](https://example.org/1)")).body;
    const first = await eventually("it is announced", async () => (await shown())[0]);
    expect(first).toEqual({ title: "ben in Den", body: "@ana look at this", tag: `channel-${den}` });
    // A channel in view, the user's own messages and those that call nobody are not announced.
    await say(hall, "@ana you see this");
    await visit.waitFor("you see this");
    await ana.post("/api/messages", { channel_id: den, content: "@ana myself" });
    await say(den, "no one in particular");
    await ana.put("/api/notifications/settings", { channels: { [den]: { muted: true } } });
    await visit.page.locator(".channel-link[data-muted]", { hasText: "Den" }).waitFor();
    await say(den, "@ana muted");
    await write("psst");
    const second = await eventually("the next is announced", async () => (await shown())[1]);
    expect(second).toMatchObject({ title: "ben", body: "psst" });
    // Whichever of the two showed the notification of the first message or of the last, it goes there.
    for (const { page } of [visit, other]) {
      await page.evaluate(`navigator.serviceWorker.dispatchEvent(new MessageEvent("message", {
        data: { type: "open", url: globalThis.lastNotification?.data.url ?? location.href } }))`);
    }
    const places = [visit, other].map(({ page }) => new URL(page.url()).hash);
    expect(places.some((hash) => hash === `#/c/den/${message_id}` || hash.startsWith("#/c/direct-"))).toBe(true);

    const profile = await visit.openWindow("ana", "Your profile");
    await profile.getByRole("tab", { name: "Notifications" }).click();
    await profile.getByLabel("Show the text of messages").uncheck();
    await visit.page.keyboard.press("Escape");
    await visit.page.goto(`${world.server.url}/#/c/hall`);
    await ana.put("/api/notifications/settings", { channels: { [den]: { muted: false, level: "all" } } });
    await visit.page.locator(".channel-link[data-muted]").waitFor({ state: "detached" });
    await other.page.close();
    await say(den, "a secret");
    const third = await eventually("the last is announced", async () => (await shown())[2]);
    expect(third).toMatchObject({ title: "ben in Den", body: "New message" });
    expect(await shown()).toHaveLength(3);
  });

  test("arranges the list the same way on all devices", async () => {
    const [visit, phone] = [
      await world.open({ as: ana, at: "#/c/hall" }),
      await world.open({ as: ana, at: "#/c/hall", ...PHONE }),
    ];
    const groups = async (of: ChatVisit): Promise<string[][]> =>
      Promise.all(
        (await of.page.locator(".group").all()).map(async (group) => [
          ...(await group.locator("h2").allTextContents()),
          ...(await group.locator(".label").allTextContents()),
        ]),
      );
    const becomes = (of: ChatVisit, wanted: string[][]) =>
      eventually(`the list is ${JSON.stringify(wanted)}`, async () => {
        const now = await groups(of);

        return JSON.stringify(now) === JSON.stringify(wanted);
      });
    const row = (of: ChatVisit, name: string) => of.page.locator(".channel-link", { hasText: name });
    await becomes(visit, [["Channels", "Den", "general", "Hall"], ["Direct messages"]]);

    // A right click opens the menu.
    await row(visit, "Hall").click({ button: "right" });
    await visit.page.getByRole("button", { name: "Add to favorites" }).click();
    // So does its button, by keyboard.
    await visit.page.getByRole("button", { name: "Options of Den" }).press("Enter");
    await visit.page.getByRole("button", { name: "Move to section…" }).press("Enter");
    await visit.page.getByLabel("New section").fill("Work");
    await visit.page.keyboard.press("Enter");
    const arranged = [["Favorites", "Hall"], ["Work", "Den"], ["Channels", "general"], ["Direct messages"]];
    await becomes(visit, arranged);
    await becomes(phone, arranged);
    await visit.page.reload();
    await becomes(visit, arranged);

    // And a long press does on a phone.
    await phone.page.getByRole("button", { name: "Open the channel list" }).click();
    const finger = await Finger.on(phone.page);
    await phone.placeOf(row(phone, "Den"));
    await finger.hold(row(phone, "Den"), phone.page.getByRole("dialog"));
    await finger.lift();
    await phone.page.getByRole("dialog").getByRole("button", { name: "Mute channel" }).click();
    await visit.page.locator(".channel-link[data-muted]", { hasText: "Den" }).waitFor();
    expect(phone.page.url()).toEndWith("#/c/hall");
    expect(await axeProblems(visit.page)).toEqual([]);

    // A collapsed section shows what is open or unread.
    await visit.page.getByRole("button", { name: "Work" }).click();
    await becomes(visit, [["Favorites", "Hall"], ["Work"], ["Channels", "general"], ["Direct messages"]]);
    await say(den, "@ana mentions show");
    await becomes(visit, arranged);
  });

  test("leads to unread channels outside the visible part of the list", async () => {
    for (let n = 10; n < 40; n += 1) await ana.post("/api/channels", { name: `Room ${n}` });
    const last = await newChannel("Zoo");
    await ana.post(`/api/channels/${last}/join`);
    const visit = await world.open({ as: ana, at: "#/c/hall", viewport: { width: 1200, height: 600 } });
    await say(last, "hello");
    await visit.page.getByRole("button", { name: "Unread below" }).click();
    await visit.page.getByRole("link", { name: /Zoo/ }).click();
    await visit.waitFor("hello");
    await visit.page.getByRole("button", { name: "Unread below" }).waitFor({ state: "detached" });
    await say(den, "over here");
    await visit.page.getByRole("button", { name: "Unread above" }).click();
    await visit.page.getByRole("link", { name: /Den/ }).click();
    await visit.waitFor("over here");
  });
});
