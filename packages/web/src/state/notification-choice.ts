import { readStored, writeStored } from "./local-storage.ts";
import { Store } from "./store.ts";

/** `unsupported`: the browser shows none, or only to pages that it trusts (HTTPS, or this machine). */
export type NotificationAccess = "unsupported" | "default" | "granted" | "denied";

const permissionNow = (): NotificationAccess => {
  const isSupported = typeof Notification === "function" && isSecureContext && "locks" in navigator;
  return isSupported ? Notification.permission : "unsupported";
};

/** The user's choices about notifications in this browser. */
export class NotificationChoice {
  readonly permission = new Store(permissionNow());
  /** True if the user wants them here. */
  readonly isOn = new Store(readStored("notifications") === "on");
  /** False: they say who wrote and where, but not what. */
  readonly showsText = new Store(readStored("notification-text") !== "off");
  /** True if the user was asked once and prefers not to be asked again. */
  readonly isDeclined = new Store(readStored("notifications") === "off");

  get isActive(): boolean {
    return this.isOn.get() && this.permission.get() === "granted";
  }

  /** Turns them on, for which browsers ask the user; call it only when the user presses something. */
  async turnOn(): Promise<void> {
    if (permissionNow() === "default") await Notification.requestPermission();
    this.refresh();
    if (this.permission.get() === "granted") this.#store(true);
  }

  turnOff(): void {
    this.#store(false);
  }

  setShowsText(showsText: boolean): void {
    writeStored("notification-text", showsText ? null : "off");
    this.showsText.set(showsText);
  }

  /** Reads the permission again, which the user may have changed in the browser's settings. */
  refresh(): void {
    this.permission.set(permissionNow());
  }

  /** Call it when the browser refuses to show one although it has the permission, as on Android. */
  unsupported(): void {
    this.permission.set("unsupported");
  }

  #store(isOn: boolean): void {
    writeStored("notifications", isOn ? "on" : "off");
    this.isOn.set(isOn);
    this.isDeclined.set(!isOn);
  }
}
