import type { EventData } from "@parley/protocol/events";
import type { Notification } from "@parley/protocol/notifications";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import { retryUntilDone } from "../../state/retry.ts";
import { Store } from "../../state/store.ts";

export interface ListedNotifications {
  /** `failed`: it is retried, and the user may do so at once. */
  state: "loading" | "ready" | "failed";
  items: readonly Notification[];
  /** The id before which the next page ends; null: there is none. */
  next: number | null;
  /** Only unread ones were asked for. Those that are read meanwhile stay until it is loaded again. */
  onlyUnread: boolean;
}

type Event = Extract<RealtimeEvent, { event: "notification:new" | "notification:read" }>;

const PAGE = 30;

/** The user's notifications, newest first, as a panel shows them: page by page, and kept up to date by events. */
export class NotificationList {
  readonly view: Store<ListedNotifications>;
  readonly #client: UserClient;
  readonly #onError: (error: unknown) => void;
  #run = 0;
  #stop = () => {};
  /** Events that arrived since a page was requested, which may be older. */
  #late: Event[] = [];

  constructor(client: UserClient, onError: (error: unknown) => void) {
    this.#client = client;
    this.#onError = onError;
    this.view = new Store<ListedNotifications>({ state: "loading", items: [], next: null, onlyUnread: false });
  }

  /** Loads the first page, retrying until it succeeds. */
  load(onlyUnread = this.view.get().onlyUnread): void {
    const isOther = onlyUnread !== this.view.get().onlyUnread;
    this.view.change((view) => ({
      ...view,
      onlyUnread,
      state: "loading",
      ...(isOther ? { items: [], next: null } : {}),
    }));
    this.#stop();
    this.#stop = retryUntilDone(
      () => this.#read(undefined),
      () => this.view.change((view) => ({ ...view, state: "failed" })),
    );
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const { next, state } = this.view.get();
    if (next !== null && state === "ready") await this.#read(next).catch(this.#onError);
  }

  /** Applies an event of the user's socket. */
  take(event: RealtimeEvent): void {
    if (event.event === "session:ready" || event.event === "read:all") this.load();
    if (event.event !== "notification:new" && event.event !== "notification:read") return;
    this.#late.push(event);
    this.#apply(event);
  }

  /** Stops the retries; call it when the list is not shown any more. */
  close(): void {
    this.#run += 1;
    this.#stop();
  }

  async markRead(id: number): Promise<void> {
    await this.#mark({ ids: [id] });
  }

  /** Marks all as read that are in the list, and all older ones. */
  async markAllRead(): Promise<void> {
    const newest = this.view.get().items[0];
    if (newest === undefined) return;
    const up_to_id = Math.max(...this.view.get().items.map(({ notification_id }) => notification_id));
    await this.#mark({ up_to_id });
  }

  async #mark(body: { ids: number[] } | { up_to_id: number }): Promise<void> {
    try {
      const { ids, up_to_id, unread } = await this.#client.notifications.markRead(body);
      this.take({ event: "notification:read", data: { ids, up_to_id, unread } });
    } catch (error) {
      this.#onError(error);
    }
  }

  async #read(before: number | undefined): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    this.#late = [];
    const { onlyUnread } = this.view.get();
    const query = { limit: PAGE, ...(onlyUnread ? { unread: true } : {}), ...(before === undefined ? {} : { before }) };
    const { notifications, next_before } = await this.#client.notifications.list(query);
    // Another page, or another list, has been requested since.
    if (run !== this.#run) return;
    this.view.change(({ items }) => ({
      state: "ready",
      items: before === undefined ? notifications : joined(items, notifications),
      next: next_before,
      onlyUnread,
    }));
    for (const event of this.#late.splice(0)) this.#apply(event);
  }

  #apply(event: Event): void {
    const by = (items: readonly Notification[]) =>
      event.event === "notification:new" ? withNew(items, event.data.notification) : withRead(items, event.data);
    this.view.change((view) => ({ ...view, items: by(view.items) }));
  }
}

/** A further page may begin with what has moved down since. */
function joined(items: readonly Notification[], page: readonly Notification[]): readonly Notification[] {
  const known = new Set(items.map(({ notification_id }) => notification_id));
  return [...items, ...page.filter(({ notification_id }) => !known.has(notification_id))];
}

/** Adds a notification at the top, or replaces the one with its id, which more reactions have changed. */
export function withNew(items: readonly Notification[], added: Notification): readonly Notification[] {
  if (items.some(({ notification_id }) => notification_id === added.notification_id)) {
    return items.map((item) => (item.notification_id === added.notification_id ? added : item));
  }
  return [added, ...items];
}

/** Marks those as read that an event names. */
export function withRead(
  items: readonly Notification[],
  { ids, up_to_id }: Pick<EventData<"notification:read">, "ids" | "up_to_id">,
  now: string = new Date().toISOString(),
): readonly Notification[] {
  const isNamed = (id: number) => ids?.includes(id) === true || id <= (up_to_id ?? 0);
  return items.map((item) =>
    item.read_at === null && isNamed(item.notification_id) ? { ...item, read_at: now } : item,
  );
}
