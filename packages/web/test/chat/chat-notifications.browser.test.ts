import { beforeEach, describe, expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { PHONE } from "../support/touch.ts";

/** The list of notifications, its settings, and the service worker. */
describe("a page with notifications", () => {
  const world = eachServer(undefined, [], { needsPush: true });
  let ana: Client;
  let ben: Client;
  let den: number;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    den = (await ben.post("/api/channels", { name: "Den" })).body.channel_id;
    await ana.post(`/api/channels/${den}/join`);
  });

  const say = async (content: string): Promise<number> =>
    (await ben.post("/api/messages", { channel_id: den, content })).body.message_id;
  const bell = (visit: ChatVisit, name: string | RegExp) => visit.page.getByRole("button", { name });
  const panel = (visit: ChatVisit) => visit.page.getByRole("region", { name: "Notifications" });
  const settings = async (visit: ChatVisit) => {
    const profile = await visit.openWindow("ana", "Your profile");
    await profile.getByRole("tab", { name: "Notifications" }).click();
    return profile;
  };

  test("lists what concerns the user, live and on all devices, and leads there", async () => {
    const visit = await world.open({ as: ana, at: "#/c/general" });
    const phone = await world.open({ as: ana, at: "#/c/general", ...PHONE });
    await bell(visit, /^Notifications$/).click();
    await panel(visit).getByText("Nothing here yet.").waitFor();
    const first = await say("@ana **come** over");
    await panel(visit)
      .getByRole("link", { name: /ben mentioned you in Den/ })
      .waitFor();
    await bell(visit, "Notifications, 1 unread").waitFor();
    await say("@ana please");
    await bell(visit, "Notifications, 2 unread").waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);

    // The phone knows of both, and reads one without opening it.
    await bell(phone, /Open the channel list/).click();
    await bell(phone, "Notifications, 2 unread").click();
    const mark = panel(phone).getByRole("button", { name: "Mark as read: ben mentioned you in Den" });
    await mark.first().click();
    await bell(visit, "Notifications, 1 unread").waitFor();
    expect(await axeProblems(phone.page)).toEqual([]);

    await panel(visit).getByRole("button", { name: "Unread", exact: true }).click();
    await eventually("one is unread", async () => (await panel(visit).getByRole("link").count()) === 1);
    await panel(visit).getByRole("link").focus();
    await visit.page.keyboard.press("Enter");
    await visit.waitFor("come over");
    expect(visit.page.url()).toEndWith(`#/c/den/${first}`);
    await bell(visit, /^Notifications$/).waitFor();
    await bell(phone, /^Notifications$/).waitFor();
  });

  test("shows its list within the window of a phone", async () => {
    const visit = await world.open({ as: ana, at: "#/c/general", ...PHONE });
    await bell(visit, "Open the channel list").click();
    await bell(visit, /^Notifications$/).click();
    await panel(visit).getByText("Nothing here yet.").waitFor();
    const { x, width } = await visit.placeOf(panel(visit));
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("can be paused, and has quiet hours, on all devices", async () => {
    const visit = await world.open({ as: ana, at: "#/c/general", timezoneId: "Asia/Shanghai" });
    const profile = await settings(visit);
    await profile.getByLabel("Stay quiet every day").click();
    await profile.getByLabel("Until", { exact: true }).fill("08:30");
    await profile.getByLabel("Time zone").focus();
    const stored = async () => (await ana.get("/api/notifications/settings")).body;
    await eventually("the hours are stored", async () => (await stored()).push.quiet_to === "08:30");
    expect((await stored()).push).toMatchObject({ quiet_from: "22:00", zone: "Asia/Shanghai" });
    await profile.getByRole("button", { name: "For 8 hours" }).click();
    await profile.getByText(/^Paused until/).waitFor();
    const left = Date.parse((await stored()).muted_until) - Date.now();
    expect(left / 3_600_000).toBeCloseTo(8, 1);
    expect(await axeProblems(visit.page)).toEqual([]);
    await visit.page.keyboard.press("Escape");
    await bell(visit, "Notifications, paused").click();
    await panel(visit).getByRole("button", { name: "Turn on again" }).click();
    await bell(visit, /^Notifications$/).waitFor();
  });

  test("a pushed message is shown by the service worker, unless a page has announced it", async () => {
    const visit = await world.open({ as: ana, at: "#/c/general" });
    const { page } = visit;
    await page.context().grantPermissions(["notifications"]);
    await page.evaluate("localStorage.setItem('parley.notifications', 'on')");
    await page.reload();
    await visit.live();
    const id = await say("@ana come");
    const shown = (): Promise<{ title: string; body: string; data: { url: string } }[]> =>
      page.evaluate(`navigator.serviceWorker.ready.then((it) => it.getNotifications())
        .then((all) => all.map(({ title, body, data }) => ({ title, body, data })))`);
    const local = await eventually("it is announced", async () => (await shown())[0]);
    expect(local).toMatchObject({ title: "ben in Den", body: "@ana come" });

    const deliver = await pushes(await page.context().newCDPSession(page), world.server.url);
    const pushed = { v: 1, kind: "mention", notification_id: 1, channel_id: den, channel_slug: "den" };
    const rest = {
      channel_name: "Den",
      from: { kind: "user", name: "ben" },
      url: "/",
      unread: 1,
      tag: `channel-${den}`,
    };
    // It is known, and stays as it is.
    await deliver({ ...pushed, ...rest, message_id: id, text: null });
    // It is not, and replaces the one of its channel.
    await deliver({ ...pushed, ...rest, message_id: id + 1_000, text: "and now?" });
    const second = await eventually("the push is shown", async () => {
      const all = await shown();
      return all[0]?.body === "and now?" && all;
    });
    expect(second).toMatchObject([
      { title: "ben mentioned you in Den", data: { url: `${world.server.url}/#/c/den/${id + 1_000}` } },
    ]);
    // One that this version cannot read is shown all the same.
    await deliver({ v: 2 });
    await eventually("it is shown", async () =>
      (await shown()).some(({ title }) => title.startsWith("There is something new")),
    );
    // Reading the channel closes its notification.
    await ana.post(`/api/channels/${den}/read`);
    await eventually("it is closed", async () => !(await shown()).some(({ title }) => title.includes("Den")));
  });

  test("can be installed as an app", async () => {
    const { page } = await world.open({ as: ana });
    const session = await page.context().newCDPSession(page);
    const { errors, url } = await session.send("Page.getAppManifest");
    expect([errors, url]).toEqual([[], `${world.server.url}/manifest.webmanifest`]);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A private window installs nothing.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  });
});

/** Returns a function that delivers a push message to the page's service worker. */
async function pushes(session: CDPSession, origin: string): Promise<(payload: object) => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<string>();
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [first] = registrations;
    if (first !== undefined) resolve(first.registrationId);
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await promise;
  return async (payload) => {
    await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(payload) });
  };
}
