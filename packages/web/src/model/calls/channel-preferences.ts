import type {
  ChannelNotifications,
  NotificationSettings,
  Sidebar,
  UpdateNotificationSettingsBody,
  UpdateSidebarBody,
} from "@parley/protocol/preferences";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import { retryUntilDone } from "../../state/retry.ts";
import { Store } from "../../state/store.ts";

const NO_SETTINGS: OwnSettings = { default: "mentions", channels: {} };
const NO_SIDEBAR: Sidebar = { sorting: "name", channels: {} };

/** All notification settings of the user. Until the server has answered, and from nodes of an older release, parts are absent. */
export type OwnSettings = NotificationSettings;

/** Notification settings and the arrangement of channels: kept by the server, the same on all of the user's devices. */
export class ChannelPreferences {
  readonly notifications = new Store<OwnSettings>(NO_SETTINGS);
  readonly sidebar = new Store<Sidebar>(NO_SIDEBAR);
  /** The ids of channels, the one with the newest message first. */
  readonly activity = new Store<readonly number[]>([]);
  readonly #client: UserClient;
  readonly #onMentions: (channelId: number, seqs: readonly number[]) => void;
  /** Events that arrived since the documents were requested, which may be older. */
  #late: RealtimeEvent[] = [];
  #stopReading = () => {};

  /** `onMentions` receives the unread mentions of each channel whenever the server has reported them. */
  constructor(client: UserClient, onMentions: (channelId: number, seqs: readonly number[]) => void) {
    this.#client = client;
    this.#onMentions = onMentions;
  }

  /** Loads everything, retrying until it succeeds. */
  load(): void {
    this.#stopReading();
    const { preferences } = this.#client;
    const read = async () => {
      this.#late = [];
      const [settings, sidebar] = await Promise.all([preferences.notifications(), preferences.sidebar()]);
      this.notifications.set(settings);
      this.sidebar.set({ sorting: sidebar.sorting, channels: sidebar.channels });
      this.activity.set(sidebar.activity);
      for (const [id, seqs] of Object.entries(sidebar.mentions)) this.#onMentions(Number(id), seqs);
      for (const event of this.#late.splice(0)) this.#apply(event);
    };
    // No error is shown: it is retried, and the chat works without it.
    this.#stopReading = retryUntilDone(read, () => {});
  }

  /** Applies a socket event. */
  take(event: RealtimeEvent): void {
    if (event.event !== "notifications:settings" && event.event !== "sidebar:update" && event.event !== "message:new") {
      return;
    }
    this.#late.push(event);
    if (this.#late.length > LATE_MAX) this.#late.shift();
    this.#apply(event);
  }

  async setNotifications(body: UpdateNotificationSettingsBody): Promise<void> {
    const changed = await this.#client.preferences.updateNotifications(body);
    this.#apply({ event: "notifications:settings", data: changed });
  }

  async setSidebar(body: UpdateSidebarBody): Promise<void> {
    const { sorting, channels } = await this.#client.preferences.updateSidebar(body);
    this.#apply({ event: "sidebar:update", data: { sorting, channels } });
  }

  /** Discards everything; called when the user changes. */
  forget(): void {
    this.#stopReading();
    this.notifications.set(NO_SETTINGS);
    this.sidebar.set(NO_SIDEBAR);
    this.activity.set([]);
  }

  #apply(event: RealtimeEvent): void {
    if (event.event === "notifications:settings") {
      const changed = event.data;
      this.notifications.change((all) => ({ ...changed, channels: { ...all.channels, ...changed.channels } }));
    } else if (event.event === "sidebar:update") {
      const { sorting, channels } = event.data;
      this.sidebar.change((all) => ({ sorting, channels: { ...all.channels, ...channels } }));
    } else if (event.event === "message:new") {
      const { channel_id } = event.data;
      if (this.activity.get()[0] === channel_id) return;
      this.activity.change((all) => [channel_id, ...all.filter((id) => id !== channel_id)]);
    }
  }
}

/** More events than a page receives while it waits for an answer. */
const LATE_MAX = 1_000;

/** Returns the settings of one channel. */
export const notificationsOf = ({ channels }: NotificationSettings, channelId: number): ChannelNotifications =>
  channels[channelId] ?? { level: null, muted: false };
