import type { ChatMessage } from "@parley/protocol/models";
import type { ParleyClient, RealtimeEvent } from "@parley/sdk";
import type { Texts } from "../../i18n/texts.ts";
import type { Store } from "../../state/store.ts";
import type { Blocks } from "../blocks.ts";
import type { ChannelList } from "../channel-list.ts";
import { type Attention, followAttention } from "./attention.ts";
import { ChannelPreferences } from "./channel-preferences.ts";
import { Notifier } from "./notifier.ts";

interface Models {
  readonly client: ParleyClient;
  readonly channels: ChannelList;
  readonly blocks: Blocks;
}

interface Dependencies {
  self(): string | null;
  texts(): Texts;
  /** Returns a message's text without Markdown. */
  plainText(message: ChatMessage): Promise<string>;
}

/** Everything that calls the user back: counts, notifications, and the settings that decide about both. */
export class Calls {
  readonly preferences: ChannelPreferences;
  readonly attention: Store<Attention>;
  readonly notifier: Notifier;

  constructor({ client, channels, blocks }: Models, rest: Dependencies) {
    this.preferences = new ChannelPreferences(client, (id, seqs) => channels.mentioned(id, seqs));
    this.attention = followAttention(channels, this.preferences);
    const newest = async (channel_id: number) => (await client.messages.list({ channel_id, limit: 1 })).messages.at(-1);
    this.notifier = new Notifier({ ...rest, blocks, channels, preferences: this.preferences, newest });
  }

  /** Applies an event of the user or of a channel. */
  take(event: RealtimeEvent): void {
    this.preferences.take(event);
    this.notifier.take(event);
  }

  load(): void {
    this.preferences.load();
  }

  /** Discards everything; called when the user changes. */
  forget(): void {
    this.preferences.forget();
    this.notifier.forget();
  }
}
