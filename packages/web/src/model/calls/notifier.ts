import type { ChatMessage } from "@parley/protocol/models";
import type { Notification as Listed } from "@parley/protocol/notifications";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import type { Texts } from "../../i18n/texts.ts";
import { isLookedAt, Looking } from "../../state/looking.ts";
import { NotificationChoice } from "../../state/notification-choice.ts";
import type { Blocks } from "../blocks.ts";
import type { ChannelList } from "../channel-list.ts";
import { fileLine } from "../files/file-line.ts";
import { senderInText } from "../sender.ts";
import { isAnnounced, takeUnannounced } from "./announced.ts";
import type { ChannelPreferences } from "./channel-preferences.ts";
import { isCalling, isSilent } from "./is-calling.ts";
import type { Call } from "./shown-call.ts";
import { announcedIdOf } from "./shown-data.ts";
import { SystemNotifications } from "./system-notifications.ts";

/** A message is announced after this time, unless it was read meanwhile on another device. */
const WAIT_MS = 500;
/** A page that the user has not touched may make no sound, and leaves it to others for this long. */
const UNTOUCHED_MS = 150;
/** Messages of one channel within this time share a notification. */
const APART_MS = 5_000;

interface Dependencies {
  client: UserClient;
  channels: Pick<ChannelList, "find">;
  preferences: Pick<ChannelPreferences, "notifications">;
  blocks: Pick<Blocks, "isFrom">;
  self(): string | null;
  texts(): Texts;
  language(): string;
  /** Returns a message's text without Markdown. */
  plainText(message: ChatMessage): Promise<string>;
  /** Shows what a notification is about. */
  open(url: string): void;
}

/** The code that shows calls. It is no part of the page's first view. */
const loadShown = async () => ({ ...(await import("./quiet.ts")), ...(await import("./shown-call.ts")) });

/** Announces each message that calls the user, once for all pages of this browser: by the system, by a sound, or both. */
export class Notifier {
  readonly choice = new NotificationChoice();
  readonly system: SystemNotifications;
  readonly #dependencies: Dependencies;
  readonly #looking = new Looking();
  #openId: number | null = null;
  /** What to announce, by channel; each reminder by its negative id, because it shares its notification with nothing. */
  readonly #due = new Map<number, Call[]>();
  /** When the last notification was shown, as in `#due`. */
  readonly #last = new Map<number, number>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.system = new SystemNotifications({
      language: dependencies.language,
      isAnnounced: (id) => isAnnounced(id) || [...this.#due.values()].flat().some((call) => call.id === id),
      onAnnounced: (id) => void takeUnannounced([{ id }]),
      onOpen: dependencies.open,
    });
    document.addEventListener("visibilitychange", () => {
      this.choice.refresh();
      this.#look();
    });
  }

  /** Sets the channel that this page shows. */
  setOpen(channelId: number | null): void {
    this.#openId = channelId;
    this.#look();
  }

  /** Loads the code that shows calls, while the server has that of this version. */
  prepare(): void {
    // It is loaded again when it is needed, and an error then is not caught.
    loadShown().catch(() => {});
  }

  /** Applies any event. */
  take(event: RealtimeEvent): void {
    if (event.event === "message:new" || event.event === "mention:new") {
      this.#addMessage(event.data.channel_id, event.data.chat_message);
    } else if (event.event === "notification:new") {
      this.#addListed(event.data.notification);
    } else if (event.event === "channel:added") {
      if (event.data.channel.is_direct) void this.#addNewest(event.data.channel.id);
    } else if (event.event === "channel:read" && event.data.unread_count === 0) {
      const { channel_id } = event.data;
      void this.system.close(({ channelId }) => channelId === channel_id);
    } else if (event.event === "notification:read") {
      const { ids, up_to_id } = event.data;
      const isRead = (id: number) => ids?.includes(id) === true || id <= (up_to_id ?? 0);
      for (const key of this.#due.keys()) if (key < 0 && isRead(-key)) this.#due.delete(key);
      void this.system.close(({ notificationId: id }) => id !== null && isRead(id));
    }
  }

  /** Discards what is due; called when the user changes. */
  forget(): void {
    this.#due.clear();
    void this.system.close(() => true);
  }

  #look(): void {
    this.#looking.set(document.visibilityState === "visible" ? this.#openId : null);
  }

  #addMessage(channelId: number, message: ChatMessage): void {
    const { channels, preferences, blocks, self, plainText, texts } = this.#dependencies;
    const name = self();
    if (name === null || blocks.isFrom(message)) return;
    const place = { channelId, channel: channels.find(channelId), self: name };
    if (!isCalling(message, place, preferences.notifications.get())) return;
    const text = async () =>
      message.sticker === null
        ? (await plainText(message)) || fileLine(message.files, texts())
        : texts().messages.sticker(message.sticker.sticker_name);
    this.#add(channelId, { id: message.id, seq: message.seq, sender: senderInText(message), text });
  }

  /** Replies in threads call those who follow them, and reminders their users. Other messages call by their own events. */
  #addListed(listed: Listed): void {
    const { kind, channel_id, message_id, from, reminder, text } = listed;
    const id = announcedIdOf(listed);
    if (channel_id === null || message_id === null || id === null || from === null) return;
    const call = { id, seq: null, sender: from.name, text: async () => reminder?.note ?? text ?? "" };
    // The user asked for this one, whatever they want to hear of the channel.
    if (reminder !== undefined) this.#add(id, { ...call, reminder: listed });
    else if (kind === "thread_reply" && !isSilent(channel_id, this.#dependencies.preferences.notifications.get()))
      this.#add(channel_id, call);
  }

  #add(key: number, call: Call): void {
    const { choice } = this;
    if (!choice.isActive && choice.sound.get() === "none") return;
    const due = this.#due.get(key);
    if (due === undefined) {
      this.#due.set(key, [call]);
      const patience = navigator.userActivation?.hasBeenActive === false ? UNTOUCHED_MS : 0;
      const wait = Math.max(WAIT_MS + patience, (this.#last.get(key) ?? 0) + APART_MS - Date.now());
      setTimeout(() => void this.#announce(key), wait);
    } else if (!due.some(({ id }) => id === call.id)) due.push(call);
  }

  /** The first message of a conversation arrives before the page follows it. */
  async #addNewest(channelId: number): Promise<void> {
    try {
      const { messages } = await this.#dependencies.client.messages.list({ channel_id: channelId, limit: 1 });
      const message = messages.at(-1);
      if (message !== undefined) this.#addMessage(channelId, message);
    } catch {
      // The list of channels shows that it is unread.
    }
  }

  async #announce(key: number): Promise<void> {
    const due = this.#due.get(key) ?? [];
    this.#due.delete(key);
    const { channels, preferences } = this.#dependencies;
    const isUnread = ({ seq }: Call) => seq === null || seq > (channels.find(key)?.last_read_seq ?? 0);
    // One page after the other, so that each message is announced once.
    await navigator.locks.request("parley.announce", async () => {
      // First: what cannot be shown here is left to other pages.
      const { isQuiet, shownCalls } = await loadShown();
      const fresh = takeUnannounced(due.filter(isUnread));
      if (fresh.length === 0 || isQuiet(preferences.notifications.get(), new Date())) return;
      if (await isLookedAt(key)) return;
      this.#last.set(key, Date.now());
      const sound = this.choice.sound.get();
      if (sound !== "none") void import("./sounds.ts").then(({ play }) => play(sound));
      if (!this.choice.isActive) return;
      const showsText = this.choice.showsText.get();
      const { title, ...shown } = await shownCalls(fresh, key, { ...this.#dependencies, showsText });
      try {
        // The page has sounds of its own.
        await this.system.show(title, { ...shown, silent: sound !== "none" });
      } catch {
        // Some browsers have the permission, but show none.
        this.choice.unsupported();
      }
    });
  }
}
