import { ParleyError, type UserClient } from "@parley/sdk";
import { readStored, writeStored } from "../../state/local-storage.ts";

/**
 * Whether this browser can receive pushes. `install`: iOS and iPadOS offer them only to pages on the Home Screen.
 */
export type PushSupport = "available" | "install" | "unsupported";

export function pushSupport(): PushSupport {
  if ("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis) return "available";
  const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || isIPad();
  return isApple && !("standalone" in navigator && navigator.standalone === true) ? "install" : "unsupported";
}

/** iPads call themselves Macs; Macs have no touch screen. */
const isIPad = (): boolean => /Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1;

/** The id of this browser's subscription at the server; there is none if it is not stored. */
const STORED = "push-subscription";
/** The endpoint that the server knows. */
const ENDPOINT = "push-endpoint";

export const isSubscribed = (): boolean => readStored(STORED) !== null;

/** Subscribes this browser for the user. Call it when the user presses something: browsers may ask them. */
export async function subscribe(client: UserClient, worker: ServiceWorkerRegistration): Promise<void> {
  const { public_key } = await client.notifications.pushKey();
  const old = await worker.pushManager.getSubscription();
  // The server may have another key than before; then the old subscription is of no use.
  if (old !== null && !hasKey(old, public_key)) await old.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  await report(client, await worker.pushManager.subscribe(options));
}

/**
 * Tells the server again of this browser's subscription, if the user has one: it may have been renewed. Subscribes again
 * if the browser has dropped it. Returns false if the user has removed this browser on another device: then it stays
 * removed.
 */
export async function resume(client: UserClient, worker: ServiceWorkerRegistration): Promise<boolean> {
  if (!isSubscribed() || Notification.permission !== "granted") return true;
  const [{ subscriptions }, current] = [
    await client.notifications.subscriptions(),
    await worker.pushManager.getSubscription(),
  ];
  const isKnown = subscriptions.some(({ subscription_id }) => String(subscription_id) === readStored(STORED));
  // A new endpoint is the browser's doing: the server has not heard of it, or the service has told it that the old one is gone.
  if (!isKnown && current !== null && current.endpoint === readStored(ENDPOINT)) {
    await unsubscribe();
    return false;
  }
  await subscribe(client, worker);
  return true;
}

/** Ends this browser's subscription at the server, which the end of the session also does. */
export async function tellServer(client: UserClient): Promise<void> {
  const id = readStored(STORED);
  if (id === null) return;
  await client.notifications.unsubscribe(Number(id)).catch((error: unknown) => {
    if (!(error instanceof ParleyError && error.code === "subscription_not_found")) throw error;
  });
}

/** Ends this browser's subscription in the browser, after which nothing can be pushed to it. */
export async function unsubscribe(): Promise<void> {
  writeStored(STORED, null);
  writeStored(ENDPOINT, null);
  const worker = "serviceWorker" in navigator ? await navigator.serviceWorker.getRegistration() : undefined;
  const subscription = await worker?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

async function report(client: UserClient, subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error("A subscription without keys.");
  const { subscription: stored } = await client.notifications.subscribe({ endpoint, keys: { p256dh, auth } });
  writeStored(STORED, String(stored.subscription_id));
  writeStored(ENDPOINT, endpoint);
}

function hasKey({ options }: PushSubscription, key: string): boolean {
  const bytes = options.applicationServerKey;
  return bytes === null || bytes === undefined || toBase64Url(new Uint8Array(bytes)) === key.replace(/=+$/, "");
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
