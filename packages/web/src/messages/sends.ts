import type { SendMessageBody } from "@parley/protocol/messages";
import type { Sticker } from "@parley/protocol/records";
import { ParleyError } from "@parley/sdk/errors";
import { newKey } from "@parley/sdk/keys";
import { Store } from "../app/store.ts";

/** What a person wants to say. */
export interface Draft {
  content: string;
  replyToId: number | null;
  sticker: Sticker | null;
}

/** A message of one's own that is not in the channel yet. `error`: why it was refused. */
export interface Sending extends Draft {
  key: string;
  error: ParleyError | null;
}

/**
 * One's own messages on their way into a channel, shown at once. Each carries a key, by which it is known when it comes back as an event
 * and by which it is sent once, however often it is tried.
 */
export class Sends {
  readonly all = new Store<readonly Sending[]>([]);
  readonly #channelId: number;
  readonly #send: (body: SendMessageBody) => Promise<unknown>;

  constructor(channelId: number, send: (body: SendMessageBody) => Promise<unknown>) {
    this.#channelId = channelId;
    this.#send = send;
  }

  send(draft: Draft): void {
    const sending = { ...draft, key: newKey(), error: null };
    this.all.change((all) => [...all, sending]);
    void this.#try(sending);
  }

  retry(key: string): void {
    const sending = this.all.get().find((each) => each.key === key);
    if (sending === undefined) return;
    this.#show(key, null);
    void this.#try(sending);
  }

  /** It is in the channel, or wanted no more. */
  settle(key: string | null): void {
    if (this.all.get().some((each) => each.key === key)) {
      this.all.change((all) => all.filter((each) => each.key !== key));
    }
  }

  async #try({ key, content, replyToId, sticker }: Sending): Promise<void> {
    try {
      await this.#send({
        channel_id: this.#channelId,
        client_msg_id: key,
        reply_to_id: replyToId,
        ...(content === "" ? {} : { content }),
        ...(sticker === null ? {} : { sticker_id: sticker.sticker_id }),
      });
    } catch (error) {
      this.#show(key, error instanceof ParleyError ? error : new ParleyError("invalid_answer", String(error)));
    }
  }

  #show(key: string, error: ParleyError | null): void {
    this.all.change((all) => all.map((each) => (each.key === key ? { ...each, error } : each)));
  }
}
