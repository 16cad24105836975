import type { ChatMessage } from "@parley/protocol/models";
import type { RealtimeEvent } from "@parley/sdk";
import type { Texts } from "../../i18n/texts.ts";
import { readStored, writeStored } from "../../state/local-storage.ts";
import { isLookedAt, Looking } from "../../state/looking.ts";
import { NotificationChoice } from "../../state/notification-choice.ts";
import { hrefOf } from "../../state/route.ts";
import type { Blocks } from "../blocks.ts";
import type { ChannelList } from "../channel-list.ts";
import { senderOf } from "../sender.ts";
import type { ChannelPreferences } from "./channel-preferences.ts";
import { isCalling } from "./is-calling.ts";

/** A message is announced after this time, unless it was read meanwhile on another device. */
const WAIT_MS = 500;
/** Messages of one channel within this time share a notification. */
const APART_MS = 5_000;
/** Ids of messages that were announced by any page of this browser. */
const ANNOUNCED = "announced";
const ANNOUNCED_MAX = 200;
const TEXT_MAX = 200;

interface Dependencies {
  channels: Pick<ChannelList, "find">;
  preferences: Pick<ChannelPreferences, "notifications">;
  blocks: Pick<Blocks, "isFrom">;
  self(): string | null;
  texts(): Texts;
  /** Returns the newest message of a channel. */
  newest(channelId: number): Promise<ChatMessage | undefined>;
  /** Returns a message's text without Markdown. */
  plainText(message: ChatMessage): Promise<string>;
}

/** Shows a notification of the system for each message that calls the user, once for all pages of this browser. */
export class Notifier {
  readonly choice = new NotificationChoice();
  readonly #dependencies: Dependencies;
  readonly #looking = new Looking();
  #openId: number | null = null;
  /** Messages to announce, by channel. */
  readonly #due = new Map<number, ChatMessage[]>();
  /** When a channel's last notification was shown, by channel. */
  readonly #last = new Map<number, number>();
  readonly #shown = new Map<number, Notification>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
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

  /** Applies any event. */
  take(event: RealtimeEvent): void {
    if (event.event === "message:new" || event.event === "mention:new") {
      this.#add(event.data.channel_id, event.data.chat_message);
    } else if (event.event === "channel:added") {
      if (event.data.channel.is_direct) void this.#addNewest(event.data.channel.id);
    } else if (event.event === "channel:read" && event.data.unread_count === 0) {
      this.#shown.get(event.data.channel_id)?.close();
    }
  }

  /** Discards what is due; called when the user changes. */
  forget(): void {
    this.#due.clear();
    for (const shown of this.#shown.values()) shown.close();
    this.#shown.clear();
  }

  #look(): void {
    this.#looking.set(document.visibilityState === "visible" ? this.#openId : null);
  }

  #add(channelId: number, message: ChatMessage): void {
    const { channels, preferences, blocks, self } = this.#dependencies;
    const name = self();
    if (!this.choice.isActive || name === null || blocks.isFrom(message)) return;
    if (
      !isCalling(message, { channelId, channel: channels.find(channelId), self: name }, preferences.notifications.get())
    )
      return;
    const due = this.#due.get(channelId);
    if (due === undefined) {
      this.#due.set(channelId, [message]);
      const wait = Math.max(WAIT_MS, (this.#last.get(channelId) ?? 0) + APART_MS - Date.now());
      setTimeout(() => void this.#announce(channelId), wait);
    } else if (!due.some(({ id }) => id === message.id)) due.push(message);
  }

  /** The first message of a conversation arrives before the page follows it. */
  async #addNewest(channelId: number): Promise<void> {
    if (!this.choice.isActive) return;
    try {
      const message = await this.#dependencies.newest(channelId);
      if (message !== undefined) this.#add(channelId, message);
    } catch {
      // The list of channels shows that it is unread.
    }
  }

  async #announce(channelId: number): Promise<void> {
    const due = this.#due.get(channelId) ?? [];
    this.#due.delete(channelId);
    const readSeq = () => this.#dependencies.channels.find(channelId)?.last_read_seq ?? 0;
    // One page after the other, so that each message is announced once.
    await navigator.locks.request("parley.announce", async () => {
      const announced = announcedIds();
      const fresh = due.filter(({ id, seq }) => seq > readSeq() && !announced.includes(id));
      if (fresh.length === 0) return;
      writeStored(ANNOUNCED, JSON.stringify([...announced, ...fresh.map(({ id }) => id)].slice(-ANNOUNCED_MAX)));
      if (!(await isLookedAt(channelId))) await this.#show(channelId, fresh);
    });
  }

  async #show(channelId: number, messages: readonly ChatMessage[]): Promise<void> {
    const message = messages.at(-1);
    if (message === undefined) return;
    const { channels, texts, plainText } = this.#dependencies;
    const channel = channels.find(channelId);
    const { calls } = texts();
    const sender = senderOf(message);
    const title = channel === undefined || channel.is_direct ? sender : calls.from(sender, channel.name);
    const hidden = calls.newMessages(messages.length);
    const text = this.choice.showsText.get() ? await this.#textOf(message, plainText) : hidden;
    const body = messages.length > 1 && text !== hidden ? `${text}\n${hidden}` : text;
    this.#last.set(channelId, Date.now());
    try {
      // The tag: one for each channel, the newest. Not all browsers know `renotify`, nor do all types.
      const options: NotificationOptions & { renotify: boolean } = { body, tag: `parley-${channelId}`, renotify: true };
      const shown = new Notification(title, options);
      this.#shown.set(channelId, shown);
      shown.addEventListener("click", () => {
        focus();
        if (channel !== undefined)
          location.hash = hrefOf({ page: "channel", slug: channel.channel_slug, messageId: message.id });
        shown.close();
      });
    } catch {
      // Browsers on Android have the permission, but show those of service workers only.
      this.choice.unsupported();
    }
  }

  async #textOf(message: ChatMessage, plainText: Dependencies["plainText"]): Promise<string> {
    if (message.sticker !== null) return this.#dependencies.texts().messages.sticker(message.sticker.sticker_name);
    const text = await plainText(message);
    return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  }
}

function announcedIds(): number[] {
  try {
    const stored: unknown = JSON.parse(readStored(ANNOUNCED) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "number") : [];
  } catch {
    // Another version of the page may have stored something else.
    return [];
  }
}
