import type { UserClient } from "@parley/sdk";
import { readStored } from "../../state/local-storage.ts";
import { Store } from "../../state/store.ts";
import type { SystemNotifications } from "./system-notifications.ts";

/** `off`: the user has not asked for pushes here. `failed`: the browser or its push service has refused. */
export type PushState = "off" | "busy" | "on" | "failed";

/** Whether this browser receives pushes for the user, also while no page is open. The code loads when it is needed. */
export class PushChoice {
  readonly state = new Store<PushState>(readStored("push-subscription") === null ? "off" : "on");
  readonly #client: UserClient;
  readonly #system: SystemNotifications;

  constructor(client: UserClient, system: SystemNotifications) {
    this.#client = client;
    this.#system = system;
  }

  /** Subscribes this browser; call it only when the user presses something. */
  async turnOn(): Promise<void> {
    this.state.set("busy");
    try {
      const { subscribe, pushSupport } = await import("./push.ts");
      const worker = pushSupport() === "available" ? await this.#system.worker() : null;
      if (worker === null) return this.state.set("failed");
      await subscribe(this.#client, worker);
      this.state.set("on");
    } catch (error) {
      console.warn(error);
      this.state.set("failed");
    }
  }

  /** Ends the subscription, which the user no longer wants here. */
  async turnOff(): Promise<void> {
    const { tellServer, unsubscribe } = await import("./push.ts");
    await tellServer(this.#client);
    await unsubscribe();
    this.state.set("off");
  }

  /** Ends the subscription after the session has ended: this browser must not receive what is for that user. */
  async end(): Promise<void> {
    if (this.state.get() === "off") return;
    this.state.set("off");
    const { unsubscribe } = await import("./push.ts");
    await unsubscribe().catch((error: unknown) => console.warn(error));
  }

  /** Tells the server again of the subscription; called when the user has connected. */
  async resume(): Promise<void> {
    if (this.state.get() !== "on") return;
    const worker = await this.#system.worker();
    if (worker === null) return;
    const { resume } = await import("./push.ts");
    // It is tried again at the next visit.
    const isLeft = await resume(this.#client, worker).catch((error: unknown) => console.warn(error));
    if (isLeft === false) this.state.set("off");
  }
}
