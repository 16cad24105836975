import type { Notification } from "@parley/protocol/notifications";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import { Store } from "../../state/store.ts";

/** The page looks for its own acts among this many of the newest unread notifications. */
const READ = 20;

/** The unread notifications of the user, without those that only say what this page's session did itself. */
export class UnreadCount {
  /** The number that the bell shows. */
  readonly shown = new Store(0);
  readonly #client: UserClient;
  /** The page's own session; null: not known. */
  #session: number | null = null;
  /** The server's number, with the page's own acts. */
  #all = 0;
  /** The sessions behind unread notifications, by the id of the notification. */
  readonly #sessions = new Map<number, number>();

  constructor(client: UserClient) {
    this.#client = client;
  }

  /** Applies a socket event. */
  take(event: RealtimeEvent): void {
    if (event.event === "session:ready") this.#session = event.data.session_id ?? null;
    else if (event.event === "notification:new") {
      this.#all = event.data.unread;
      this.#note(event.data.notification);
    } else if (event.event === "notification:read") {
      const { ids, up_to_id, unread } = event.data;
      this.#all = unread;
      for (const id of this.#sessions.keys()) {
        if (id <= (up_to_id ?? 0) || ids?.includes(id) === true) this.#sessions.delete(id);
      }
    } else if (event.event === "read:all") {
      this.#all = event.data.unread;
      if (this.#all === 0) this.#sessions.clear();
    } else return;
    this.#show();
  }

  /** Asks the server. */
  async load(): Promise<void> {
    const { unread, notifications } = await this.#client.notifications.list({ unread: true, limit: READ });
    this.#all = unread;
    this.#sessions.clear();
    for (const notification of notifications) this.#note(notification);
    this.#show();
  }

  /** Discards the number; called when the user changes. */
  forget(): void {
    this.#all = 0;
    this.#sessions.clear();
    this.#show();
  }

  #note({ notification_id, notice }: Notification): void {
    if (notice?.session_id !== undefined) this.#sessions.set(notification_id, notice.session_id);
  }

  #show(): void {
    const own = [...this.#sessions.values()].filter((session) => session === this.#session).length;
    this.shown.set(Math.max(0, this.#all - own));
  }
}
