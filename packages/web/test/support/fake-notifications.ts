import type { Page } from "playwright-core";

/** A notification of the system. */
export interface Shown {
  title: string;
  body: string;
  tag: string;
}

/** Stands in for the system's notifications: records them, and lets the test press them. */
export function fakeNotifications(): void {
  class Fake extends EventTarget {
    static permission = localStorage.getItem("fake-permission") ?? "default";
    static async requestPermission() {
      localStorage.setItem("fake-permission", "granted");
      Fake.permission = "granted";
      return Fake.permission;
    }
  }
  const show = async (title: string, options: { body: string; tag: string }) => {
    const { body, tag } = options;
    const shown = [...JSON.parse(localStorage.getItem("fake-shown") ?? "[]"), { title, body, tag }];
    localStorage.setItem("fake-shown", JSON.stringify(shown));
    Reflect.set(globalThis, "lastNotification", options);
  };
  const registration: unknown = Reflect.get(globalThis, "ServiceWorkerRegistration");
  if (typeof registration === "function") Reflect.set(registration.prototype, "showNotification", show);
  // Private windows have no push service.
  Reflect.deleteProperty(globalThis, "PushManager");
  Reflect.set(globalThis, "Notification", Fake);
}

/** Returns what the browser of a page has shown, the oldest first. */
export const shownIn = async (page: Page): Promise<Shown[]> =>
  JSON.parse((await page.evaluate("localStorage.getItem('fake-shown')")) ?? "[]");
