import type { ChatMessage } from "@parley/protocol/models";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import type { Texts } from "../../i18n/texts.ts";
import { retryUntilDone } from "../../state/retry.ts";
import type { Store } from "../../state/store.ts";
import type { Blocks } from "../blocks.ts";
import type { ChannelList } from "../channel-list.ts";
import { type Attention, followAttention } from "./attention.ts";
import { ChannelPreferences } from "./channel-preferences.ts";
import { Notifier } from "./notifier.ts";
import { PushChoice } from "./push-choice.ts";
import { UnreadCount } from "./unread-count.ts";

interface Models {
  readonly client: UserClient;
  readonly channels: ChannelList;
  readonly blocks: Blocks;
}

interface Dependencies {
  self(): string | null;
  texts(): Texts;
  language(): string;
  /** Returns a message's text without Markdown. */
  plainText(message: ChatMessage): Promise<string>;
  /** Shows what a notification is about. */
  open(url: string): void;
}

/** Everything that calls the user back: counts, notifications, and the settings that decide about both. */
export class Calls {
  readonly preferences: ChannelPreferences;
  readonly attention: Store<Attention>;
  readonly notifier: Notifier;
  readonly push: PushChoice;
  /** The number of unread notifications in the user's list, without the acts of this page's session. */
  readonly unread: Store<number>;
  readonly #count: UnreadCount;
  #stopCounting = () => {};

  constructor({ client, channels, blocks }: Models, rest: Dependencies) {
    this.preferences = new ChannelPreferences(client, (id, seqs) => channels.mentioned(id, seqs));
    this.#count = new UnreadCount(client);
    this.unread = this.#count.shown;
    this.attention = followAttention(channels, this.preferences, this.unread);
    this.notifier = new Notifier({ ...rest, client, blocks, channels, preferences: this.preferences });
    this.push = new PushChoice(client, this.notifier.system);
  }

  /** Applies an event of the user or of a channel. */
  take(event: RealtimeEvent): void {
    this.preferences.take(event);
    this.notifier.take(event);
    this.#count.take(event);
  }

  /** Loads everything of the user. */
  load(): void {
    this.preferences.load();
    this.#stopCounting();
    // No error is shown: it is retried, and the chat works without the number.
    this.#stopCounting = retryUntilDone(
      () => this.#count.load(),
      () => {},
    );
    void this.push.resume();
    this.notifier.prepare();
  }

  /** Discards everything; called when the user changes. */
  forget(): void {
    this.#stopCounting();
    this.preferences.forget();
    this.notifier.forget();
    this.#count.forget();
  }
}
