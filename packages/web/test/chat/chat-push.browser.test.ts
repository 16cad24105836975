import { beforeEach, describe, expect, test } from "bun:test";
import type { Page, Worker } from "playwright-core";
import { pushKeys } from "../../../server/test/support/push-keys.ts";
import { EGRESS, SUBSCRIPTIONS } from "../../../server/test/support/push-scene.ts";
import { type Client, eventually, logIn, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** The part of a page, and of its service worker, that functions of the tests use there. */
interface Scope {
  PushManager: { prototype: object };
  dispatchEvent(event: Event): boolean;
  clients: { matchAll(filter: object): Promise<object[]> };
  registration: {
    showNotification(title: string, options: object): Promise<void>;
    getNotifications(filter: { tag: string }): Promise<object[]>;
  };
}

/** A browser without a push service has no subscriptions, so the page gets one that it keeps like its own. */
function pushManager(keys: { p256dh: string; auth: string }): void {
  const kept = () => {
    const endpoint = localStorage.getItem("test-endpoint");
    if (endpoint === null) return null;
    const unsubscribe = async () => localStorage.removeItem("test-endpoint");
    return { endpoint, options: {}, toJSON: () => ({ endpoint, keys }), unsubscribe };
  };
  const subscribe = async () => {
    if (kept() === null) localStorage.setItem("test-endpoint", `http://127.0.0.1:9999/${Math.random()}`);
    return kept();
  };
  const { PushManager } = globalThis as unknown as Scope;
  Object.assign(PushManager.prototype, { getSubscription: async () => kept(), subscribe });
}

/** Web Push in the page and its service worker, whose events come from the browser otherwise. */
describe("a page that receives pushes", () => {
  const world = eachServer(() => startTestServer(EGRESS), [], { needsPush: true });
  let ana: Client;
  let ben: Client;
  let phone: Client;
  let den: number;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    phone = await logIn(world.server.url, "ana");
    den = (await ben.post("/api/channels", { name: "Den" })).body.channel_id;
    await ana.post(`/api/channels/${den}/join`);
  });

  const subscribed = async (): Promise<{ subscription_id: number }[]> =>
    (await phone.get(SUBSCRIPTIONS)).body.subscriptions;
  const endpoint = (page: Page) => page.evaluate("localStorage.getItem('test-endpoint')");

  async function open(at = "#/c/general"): Promise<ChatVisit> {
    const visit = await world.open({ as: ana, at });
    await visit.page.context().grantPermissions(["notifications"]);
    await visit.page.addInitScript(pushManager, pushKeys());
    await visit.page.reload();
    await visit.live();
    return visit;
  }

  async function settings(visit: ChatVisit) {
    const profile = await visit.openWindow("ana", "Your profile");
    await profile.getByRole("tab", { name: "Notifications" }).click();
    return profile;
  }

  /** Turns notifications on, for which the page installs its worker. */
  async function workerOf(visit: ChatVisit): Promise<Worker> {
    await (await settings(visit)).getByLabel("Show notifications in this browser").check();
    await eventually("it is subscribed", async () => (await subscribed()).length === 1);
    await visit.page.keyboard.press("Escape");
    return eventually("the worker runs", async () => visit.page.context().serviceWorkers()[0]);
  }

  test("is listed with the user's devices, and is no longer pushed to when it is removed there or logged out", async () => {
    const visit = await open();
    const { page } = visit;
    const profile = await settings(visit);
    const devices = profile.getByRole("list", { name: "Your devices" });
    await profile.getByText("No browser receives notifications while Parley is closed.").waitFor();
    await profile.getByLabel("Show notifications in this browser").check();
    await devices.getByText("this browser").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await devices.getByRole("button", { name: /^Remove: / }).click();
    await devices.getByText("this browser").waitFor({ state: "detached" });
    expect([await subscribed(), await endpoint(page)]).toEqual([[], null]);

    // Another device removes it: the page does not come back by itself.
    await profile.getByLabel("Also when Parley is closed").check();
    await devices.getByText("this browser").waitFor();
    const [{ subscription_id } = { subscription_id: 0 }] = await subscribed();
    await phone.delete(`${SUBSCRIPTIONS}/${subscription_id}`);
    await page.reload();
    await eventually("the browser has dropped it", async () => (await endpoint(page)) === null);
    expect(await subscribed()).toEqual([]);

    await (await settings(visit)).getByLabel("Also when Parley is closed").check();
    await eventually("it is subscribed", async () => (await subscribed()).length === 1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Account menu of ana" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await eventually("the browser has dropped it", async () => (await endpoint(page)) === null);
    expect(await subscribed()).toEqual([]);
  });

  test("is subscribed again when the browser replaces its subscription, unless the user has logged out", async () => {
    const visit = await open();
    const worker = await workerOf(visit);
    const replace = (path: string) =>
      worker.evaluate(
        async ({ endpoint, keys }) => {
          const { PushManager, dispatchEvent } = globalThis as unknown as Scope;
          let isEnded = false;
          const subscription = { toJSON: () => ({ endpoint, keys }), unsubscribe: async () => (isEnded = true) };
          Object.assign(PushManager.prototype, { subscribe: async () => subscription });
          const event = new Event("pushsubscriptionchange");
          let done: Promise<unknown> | undefined;
          // Only the browser's own events can be waited for.
          Object.assign(event, { waitUntil: (until: Promise<unknown>) => (done = until) });
          dispatchEvent(event);
          await done;
          return isEnded;
        },
        { endpoint: `http://127.0.0.1:9999/${path}`, keys: pushKeys() },
      );
    expect(await replace("new")).toBe(false);
    expect(await subscribed()).toHaveLength(2);
    await visit.page.context().clearCookies();
    expect(await replace("newer")).toBe(true);
    expect(await subscribed()).toHaveLength(2);
  });

  test("shows a reminder of a message that was announced when it came, unless a page has announced the reminder", async () => {
    const { message_id } = (await ben.post("/api/messages", { channel_id: den, content: "Sign" })).body;
    const visit = await open();
    const worker = await workerOf(visit);
    const about = {
      v: 1,
      channel_id: den,
      channel_slug: "den",
      channel_name: "Den",
      message_id,
      text: null,
      unread: 1,
    };
    const of = (notification_id: number) => ({
      ...{ ...about, kind: "reminder", notification_id, reminder: { reminder_id: 1, note: null } },
      ...{ from: { kind: "user", name: "ben" }, url: `/#/c/den/${message_id}`, tag: `notice-${notification_id}` },
    });
    await visit.page.evaluate(`localStorage.setItem("parley.announced", "[${message_id},-8]")`);
    const mention = { ...of(6), kind: "mention", notification_id: 6, tag: `channel-${den}` };
    expect([await push(worker, mention), await push(worker, of(7)), await push(worker, of(8))]).toEqual([0, 1, 0]);
    await eventually("the page knows of it", async () =>
      (await visit.page.evaluate<string>("localStorage.getItem('parley.announced')")).includes("-7"),
    );
  });

  test("shows what a pressed notification is about: a reply in its thread, also from another channel", async () => {
    const root = (await ana.post("/api/messages", { channel_id: den, content: "Which?" })).body.message_id;
    const reply = { channel_id: den, content: "This one.", thread_root_id: root };
    const { message_id } = (await ben.post("/api/messages", reply)).body;
    const visit = await open();
    const { page } = visit;
    const worker = await workerOf(visit);
    await press(worker, { url: `${world.server.url}/#/c/den/${message_id}`, channelId: den, messageId: message_id });
    const panel = page.getByRole("complementary", { name: "Thread", exact: true });
    await panel.locator(".highlighted", { hasText: "This one." }).waitFor();
    await press(worker, { url: `${world.server.url}/#/c/general`, channelId: 1, messageId: null });
    await panel.waitFor({ state: "detached" });
    await eventually("the channel is open", () => page.url().endsWith("#/c/general"));
    await page.goto("about:blank");
    await eventually("the worker sees no page", async () => (await windowsOf(worker)) === 0);
    const url = `${world.server.url}/#/c/den/${root}`;
    expect(await press(worker, { url, channelId: den, messageId: root })).toEqual([url]);
  });
});

/** Gives a push message to a worker, as the browser would; returns how many notifications have its tag then. */
function push(worker: Worker, payload: { tag: string } & object): Promise<number> {
  return worker.evaluate(async (payload) => {
    const { registration, dispatchEvent } = globalThis as unknown as Scope;
    const event = new Event("push");
    let done: Promise<unknown> | undefined;
    const data = { text: () => JSON.stringify(payload) };
    Object.assign(event, { data, waitUntil: (until: Promise<unknown>) => (done = until) });
    dispatchEvent(event);
    await done;
    return (await registration.getNotifications({ tag: payload.tag })).length;
  }, payload);
}

/** Returns the number of pages that a worker could show something in. */
const windowsOf = (worker: Worker): Promise<number> =>
  worker.evaluate(async () => {
    const { clients } = globalThis as unknown as Scope;
    return (await clients.matchAll({ type: "window", includeUncontrolled: true })).length;
  });

/** Presses a notification as the system would; returns the windows that the worker opened. */
function press(worker: Worker, data: { url: string; channelId: number; messageId: number | null }): Promise<string[]> {
  return worker.evaluate(async (data) => {
    const { registration, clients, dispatchEvent } = globalThis as unknown as Scope;
    await registration.showNotification("ben", { tag: "pressed", data: { ...data, notificationId: null } });
    const [notification] = await registration.getNotifications({ tag: "pressed" });
    const opened: string[] = [];
    // The browser lets a worker open and focus windows only after a real press.
    Object.assign(clients, { openWindow: async (url: string) => void opened.push(url) });
    const event = new Event("notificationclick");
    let done: Promise<unknown> | undefined;
    Object.assign(event, { notification, waitUntil: (until: Promise<unknown>) => (done = until) });
    dispatchEvent(event);
    await done?.catch(() => {});
    return opened;
  }, data);
}
