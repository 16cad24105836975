/// <reference lib="webworker" />
import { workerTexts } from "../i18n/worker-texts.ts";
import type { ShownData, WorkerMessage } from "../model/calls/shown-data.ts";
import { notificationOf } from "./pushed.ts";

declare const self: ServiceWorkerGlobalScope;

/** How long a page has to answer: a frozen one never does. */
const ANSWER_MS = 1_000;
const LANGUAGE = new URLSearchParams(location.search).get("language") ?? "en";

// It keeps no data and handles no requests, so a new version may replace an old one at any time.
self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => event.waitUntil(receive(event.data?.text())));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data as ShownData));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  // Not all browsers pass the old subscription, which has the server's key.
  const { oldSubscription = null } = event as PushSubscriptionChangeEvent;
  event.waitUntil(subscribeAgain(oldSubscription?.options.applicationServerKey ?? null));
});

/** Shows a pushed message, unless a page of this browser has announced it. */
async function receive(pushed: string | undefined): Promise<void> {
  const { title, body, tag, data, announcedId, unread } = notificationOf(pushed, await workerTexts(LANGUAGE));
  if (unread !== null) await showBadge(unread);
  const [shown] = await self.registration.getNotifications({ tag });
  const shownData = shown?.data as ShownData | undefined;
  if (shown !== undefined && data.messageId !== null && (shownData?.messageId ?? 0) >= data.messageId) {
    // Some browsers end a subscription whose messages show nothing. Showing it again makes no noise.
    await show(shown.title, { body: shown.body, tag, data: shownData, silent: true });
    return;
  }
  if (announcedId !== null && (await isAnnounced(data.channelId, announcedId))) return;
  // Not all browsers know `renotify`.
  await show(title, { body, tag, data, renotify: true } as NotificationOptions);
  if (announcedId === null) return;
  for (const page of await pages()) tell(page, { type: "announced", messageId: announcedId });
}

const show = (title: string, options: NotificationOptions): Promise<void> =>
  self.registration.showNotification(title, { icon: "/icons/icon-192.png", badge: "/icons/badge.png", ...options });

async function showBadge(unread: number): Promise<void> {
  if (!("setAppBadge" in navigator)) return;
  // Refused where the app is not installed.
  await (unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()).catch(() => {});
}

async function isAnnounced(channelId: number | null, messageId: number): Promise<boolean> {
  const answers = (await pages()).map((page) => {
    const { port1, port2 } = new MessageChannel();
    tell(page, { type: "announced?", channelId, messageId }, port2);
    return new Promise<boolean>((resolve) => {
      port1.onmessage = ({ data }) => resolve(data === true);
      setTimeout(() => resolve(false), ANSWER_MS);
    });
  });
  return (await Promise.all(answers)).includes(true);
}

/** The open chat pages of this browser. */
async function pages(): Promise<readonly WindowClient[]> {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => ["/", "/join"].includes(new URL(url).pathname));
}

function tell(page: WindowClient, message: WorkerMessage, port?: MessagePort): void {
  page.postMessage(message, port === undefined ? [] : [port]);
}

/** Shows what a notification is about: in a page that shows its channel, or in another, or in a new one. */
async function open({ url }: ShownData): Promise<void> {
  const all = await pages();
  const channelOf = (address: string) => new URL(address).hash.split("/")[2];
  const page =
    all.find((each) => channelOf(each.url) === channelOf(url)) ??
    all.find(({ focused }) => focused) ??
    all.find(({ visibilityState }) => visibilityState === "visible") ??
    all[0];
  if (page === undefined) {
    await self.clients.openWindow(url);
    return;
  }
  tell(page, { type: "open", url });
  await page.focus();
}

/** The browser has replaced the subscription: subscribes again, and tells the server. */
async function subscribeAgain(oldKey: BufferSource | null): Promise<void> {
  const applicationServerKey = oldKey ?? (await serverKey());
  const subscription = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = subscription.toJSON();
  const { status } = await fetch("/api/push/subscriptions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ endpoint, keys }),
  });
  // The user has logged out: nothing may be pushed to this browser.
  if (status === 401) await subscription.unsubscribe();
}

async function serverKey(): Promise<string> {
  const answer = await fetch("/api/push/key");
  const { public_key } = (await answer.json()) as { public_key: string };
  return public_key;
}
