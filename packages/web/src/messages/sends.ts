import type { SendMessageAnswer, SendMessageBody } from "@parley/protocol/messages";
import type { Sticker } from "@parley/protocol/records";
import { ParleyError } from "@parley/sdk/errors";
import { newKey } from "@parley/sdk/keys";
import { Store } from "../app/store.ts";
import { dropSend, keepSend, keptSends, type Owner } from "./kept-sends.ts";

/** What was on its way when the page went is sent by itself for so long; after that only when the person wants it. */
const RESUMED_MS = 10 * 60_000;

/** What a person wants to say. */
export interface Draft {
  content: string;
  replyToId: number | null;
  sticker: Sticker | null;
}

/** A message of one's own that is not in the channel yet. `error`: why it was refused. */
export interface Sending extends Draft {
  key: string;
  /** When it was said, epoch ms. */
  at: number;
  error: ParleyError | null;
}

type Send = (body: SendMessageBody, signal: AbortSignal) => Promise<SendMessageAnswer>;

/**
 * One's own messages on their way into a channel, shown at once and kept in this browser until they are there. Each carries a key, by
 * which it is known when it comes back as an event and by which it is sent once, however often it is tried, and from whichever page.
 */
export class Sends {
  readonly all = new Store<readonly Sending[]>([]);
  readonly #channelId: number;
  readonly #send: Send;
  /** Who writes; null: a guest, who does not. */
  #owner: Owner | null = null;
  /** Ends the trying of one that is thrown away. */
  readonly #tries = new Map<string, AbortController>();

  constructor(channelId: number, send: Send) {
    this.#channelId = channelId;
    this.#send = send;
  }

  /** Shows what this person has not sent yet; what was on its way a moment ago goes on. */
  become(self: string | null): void {
    if (self === (this.#owner?.self ?? null)) return;
    this.#owner = self === null ? null : { self, channelId: this.#channelId };
    const kept = this.#owner === null ? [] : keptSends(this.#owner);
    const now = Date.now();
    const isLate = (each: Sending) => each.error === null && now - each.at > RESUMED_MS;
    const lost = new ParleyError("connection_lost", "The page was closed before it was sent.");
    this.all.set(kept.map((each) => (isLate(each) ? { ...each, error: lost } : each)));
    for (const each of this.all.get()) if (each.error === null) void this.#try(each);
  }

  send(draft: Draft): void {
    const sending = { ...draft, key: newKey(), at: Date.now(), error: null };
    this.all.change((all) => [...all, sending]);
    if (this.#owner !== null) keepSend(this.#owner, sending);
    void this.#try(sending);
  }

  retry(key: string): void {
    const sending = this.all.get().find((each) => each.key === key);
    if (sending === undefined) return;
    this.#show({ ...sending, at: Date.now(), error: null });
    void this.#try(sending);
  }

  /** It is in the channel, or wanted no more; what is on its way already may still arrive. */
  settle(key: string): void {
    if (!this.all.get().some((each) => each.key === key)) return;
    this.#tries.get(key)?.abort();
    if (this.#owner !== null) dropSend(this.#owner, key);
    this.all.change((all) => all.filter((each) => each.key !== key));
  }

  async #try(sending: Sending): Promise<void> {
    const { key, content, replyToId, sticker } = sending;
    const owner = this.#owner;
    const trying = new AbortController();
    this.#tries.set(key, trying);
    try {
      const body = {
        channel_id: this.#channelId,
        client_msg_id: key,
        reply_to_id: replyToId,
        ...(content === "" ? {} : { content }),
        ...(sticker === null ? {} : { sticker_id: sticker.sticker_id }),
      };
      const { deduplicated } = await this.#send(body, trying.signal);
      if (owner !== null) dropSend(owner, key);
      // It came by an earlier try, whose event may be long past.
      if (deduplicated) this.settle(key);
    } catch (cause) {
      if (trying.signal.aborted) return;
      const error = cause instanceof ParleyError ? cause : new ParleyError("invalid_answer", String(cause));
      const failed = { ...sending, error };
      if (owner === this.#owner) this.#show(failed);
      else if (owner !== null) keepSend(owner, failed);
    } finally {
      if (this.#tries.get(key) === trying) this.#tries.delete(key);
    }
  }

  #show(sending: Sending): void {
    if (!this.all.get().some(({ key }) => key === sending.key)) return;
    if (this.#owner !== null) keepSend(this.#owner, sending);
    this.all.change((all) => all.map((each) => (each.key === sending.key ? sending : each)));
  }
}
