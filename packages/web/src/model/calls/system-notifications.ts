import type { ShownData, WorkerMessage } from "./shown-data.ts";
import { workerUrl } from "./shown-data.ts";

/** How long an installation may take before notifications are shown without the worker. */
const READY_MS = 5_000;

interface Dependencies {
  /** The language of pushed notifications. */
  language(): string;
  /** True if the user knows of a message already, so that a push of it shows nothing. */
  isAnnounced(messageId: number): boolean;
  /** Called when the service worker has announced a message. */
  onAnnounced(messageId: number): void;
  /** Shows what a notification is about. */
  onOpen(url: string): void;
}

interface Options {
  body: string;
  /** Notifications with the same tag replace each other. */
  tag: string;
  silent: boolean;
  data: ShownData;
}

/**
 * The system's notifications. They belong to the service worker, so that pushed ones and those of pages replace each
 * other, and because browsers on Android show no others.
 */
export class SystemNotifications {
  readonly #dependencies: Dependencies;
  #worker: Promise<ServiceWorkerRegistration | null> | undefined;
  #language: string | undefined;
  /** Those shown without a worker, by tag. */
  readonly #shown = new Map<string, Notification>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    if (!("serviceWorker" in navigator)) return;
    navigator.serviceWorker.addEventListener("message", ({ data, ports }) => this.#hear(data as WorkerMessage, ports));
  }

  /** Returns the service worker's registration, and makes it first if needed; null if this browser has none. */
  worker(): Promise<ServiceWorkerRegistration | null> {
    const language = this.#dependencies.language();
    if (this.#language !== language) this.#worker = undefined;
    this.#language = language;
    this.#worker ??= register(language);
    return this.#worker;
  }

  /** Shows one. Throws where the browser refuses. */
  async show(title: string, options: Options): Promise<void> {
    const registration = await this.worker();
    // Not all browsers know `renotify`, nor do all types.
    const all: NotificationOptions & { renotify: boolean } = { ...options, renotify: !options.silent };
    if (registration !== null) {
      await registration.showNotification(title, { icon: "/icons/icon-192.png", badge: "/icons/badge.png", ...all });
      return;
    }
    const shown = new Notification(title, all);
    this.#shown.set(options.tag, shown);
    shown.addEventListener("click", () => {
      focus();
      this.#dependencies.onOpen(options.data.url);
      shown.close();
    });
  }

  /** Closes those that match. */
  async close(matches: (data: ShownData) => boolean): Promise<void> {
    for (const each of await this.#all()) if (matches(each.data as ShownData)) each.close();
  }

  async #all(): Promise<readonly Notification[]> {
    if (!("serviceWorker" in navigator)) return [...this.#shown.values()];
    const registration = await navigator.serviceWorker.getRegistration();
    return [...this.#shown.values(), ...((await registration?.getNotifications()) ?? [])];
  }

  #hear(message: WorkerMessage, [port]: readonly MessagePort[]): void {
    if (message.type === "announced?") port?.postMessage(this.#dependencies.isAnnounced(message.messageId));
    else if (message.type === "announced") this.#dependencies.onAnnounced(message.messageId);
    else this.#dependencies.onOpen(message.url);
  }
}

async function register(language: string): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator)) return null;
  try {
    await navigator.serviceWorker.register(trusted(workerUrl(language)), { scope: "/" });
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), READY_MS));
    return await Promise.race([navigator.serviceWorker.ready, late]);
  } catch (error) {
    // Private windows may refuse. Notifications of the page are left.
    console.warn(error);
    return null;
  }
}

/** Browsers that know trusted types take the address of a worker only from a policy, which the server's header names. */
function trusted(url: string): string {
  const policies = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  policy ??= policies?.createPolicy("parley-worker", {
    createScriptURL(wanted) {
      if (!/^\/sw\.js\?language=\w+$/.test(wanted)) throw new TypeError(`${wanted} is not the service worker.`);
      return wanted;
    },
  });
  return policy?.createScriptURL(url) ?? url;
}

interface Policy {
  /** The object that it returns stands for a string. */
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}
/** A policy can be created once. */
let policy: Policy | undefined;
