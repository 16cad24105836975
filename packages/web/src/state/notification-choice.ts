import { readStored, writeStored } from "./local-storage.ts";
import { Store } from "./store.ts";

/** `unsupported`: the browser shows none, or only to pages that it trusts (HTTPS, or this machine). */
export type NotificationAccess = "unsupported" | "default" | "granted" | "denied";

/** What a page plays for a message that calls the user. */
export const SOUNDS = ["none", "chime", "knock", "drop"] as const;
export type Sound = (typeof SOUNDS)[number];

const permissionNow = (): NotificationAccess => {
  const isSupported = typeof Notification === "function" && isSecureContext && "locks" in navigator;
  return isSupported ? Notification.permission : "unsupported";
};

const storedSound = (): Sound => SOUNDS.find((each) => each === readStored("notification-sound")) ?? "none";

/** The user's choices about notifications in this browser, the same in all of its pages. */
export class NotificationChoice {
  readonly permission = new Store(permissionNow());
  /** True if the user wants them here. */
  readonly isOn = new Store(readStored("notifications") === "on");
  /** False: they say who wrote and where, but not what. */
  readonly showsText = new Store(readStored("notification-text") !== "off");
  /** True if the user was asked once and prefers not to be asked again. */
  readonly isDeclined = new Store(readStored("notifications") === "off");
  readonly sound = new Store<Sound>(storedSound());

  constructor() {
    addEventListener("storage", ({ key }) => {
      if (key?.startsWith("parley.notification") !== true) return;
      this.isOn.set(readStored("notifications") === "on");
      this.isDeclined.set(readStored("notifications") === "off");
      this.showsText.set(readStored("notification-text") !== "off");
      this.sound.set(storedSound());
    });
  }

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

  setSound(sound: Sound): void {
    writeStored("notification-sound", sound === "none" ? null : sound);
    this.sound.set(sound);
  }

  /** Reads the permission again, which the user may have changed in the browser's settings. */
  refresh(): void {
    this.permission.set(permissionNow());
  }

  /** Call it when the browser refuses to show one although it has the permission. */
  unsupported(): void {
    this.permission.set("unsupported");
  }

  #store(isOn: boolean): void {
    writeStored("notifications", isOn ? "on" : "off");
    this.isOn.set(isOn);
    this.isDeclined.set(!isOn);
  }
}
