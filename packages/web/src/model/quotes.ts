import { MESSAGES_ASKED_MAX } from "@parley/protocol/limits";
import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { ChannelEvent } from "@parley/sdk";
import { useCallback, useSyncExternalStore } from "react";
import { Lookup } from "../state/lookup.ts";

interface Dependencies {
  channelId: number;
  fetch(query: HistoryQuery): Promise<HistoryResponse>;
  /** Finds a message that is loaded. */
  find(messageId: number): ChatMessage | undefined;
}

/** The messages that replies refer to, anywhere in the channel. Those that are not loaded are requested in batches, each once. */
export class Quotes {
  readonly #lookup: Lookup<number, ChatMessage>;
  readonly #find: Dependencies["find"];

  constructor({ channelId, fetch: fetchMessages, find }: Dependencies) {
    this.#find = find;
    this.#lookup = new Lookup({
      maxKeys: MESSAGES_ASKED_MAX,
      async fetch(ids) {
        const { messages } = await fetchMessages({ channel_id: channelId, ids: ids.join(",") });
        return new Map(messages.map((message) => [message.id, message]));
      },
    });
  }

  /** undefined: not known yet; null: the user can see no such message. */
  get(id: number): ChatMessage | null | undefined {
    return this.#lookup.get(id) ?? this.#find(id) ?? this.#lookup.get(id);
  }

  watch(id: number, onChange: () => void): () => void {
    const loaded = this.#find(id);
    if (loaded !== undefined && this.#lookup.get(id) == null) this.#lookup.put(id, loaded);
    return this.#lookup.watch(id, onChange);
  }

  /** Updates quotes of messages that were edited or deleted. */
  take(event: ChannelEvent): void {
    if (event.event === "message:update") this.#change(event.data.chat_message.id, event.data.chat_message);
    if (event.event !== "message:delete") return;
    const known = this.#lookup.get(event.data.message_id);
    if (known != null)
      this.#change(known.id, { ...known, is_deleted: true, content: "", mentions: [], sticker: null, files: [] });
  }

  /** Requests again what could not be fetched; called when the server is reachable again. */
  retry(): void {
    this.#lookup.retry();
  }

  /** Refetches the quotes, because changes were missed. */
  refresh(): void {
    this.#lookup.refresh();
  }

  #change(id: number, message: ChatMessage): void {
    if (this.#lookup.get(id) !== undefined) this.#lookup.put(id, message);
  }
}

/** Subscribes a component to a quoted message. */
export function useQuote(quotes: Quotes, id: number): ChatMessage | null | undefined {
  const subscribe = useCallback((onChange: () => void) => quotes.watch(id, onChange), [quotes, id]);
  return useSyncExternalStore(subscribe, () => quotes.get(id));
}
