import type { SendMessageBody, SendMessageResponse } from "@parley/protocol/messages";
import { newIdempotencyKey, ParleyError } from "@parley/sdk";
import { Store } from "../state/store.ts";
import type { Draft, PendingMessage } from "./pending-message.ts";
import { type Owner, removePending, storedPending, storePending } from "./stored-pending-messages.ts";

/** A message that was pending when the page closed is resent automatically for this long; later only at the user's request. */
const RESUMED_MS = 10 * 60_000;

type Send = (body: SendMessageBody, signal: AbortSignal) => Promise<SendMessageResponse>;

/**
 * The user's own messages on their way into a channel, shown at once and stored in this browser until they have
 * arrived. Each carries an idempotency key: it identifies the message when its event arrives, and ensures that it is
 * posted once, however often and from whichever page it is retried.
 */
export class PendingMessages {
  readonly all = new Store<readonly PendingMessage[]>([]);
  readonly #channelId: number;
  readonly #send: Send;
  /** The user who writes; null for a guest, who cannot. */
  #owner: Owner | null = null;
  /** Abort controllers of pending sends, for messages that are discarded. */
  readonly #tries = new Map<string, AbortController>();

  constructor(channelId: number, send: Send) {
    this.#channelId = channelId;
    this.#send = send;
  }

  /** Shows the unsent messages of this user, and resumes the recent ones. */
  setUser(self: string | null): void {
    if (self === (this.#owner?.self ?? null)) return;
    this.#owner = self === null ? null : { self, channelId: this.#channelId };
    const stored = this.#owner === null ? [] : storedPending(this.#owner);
    const now = Date.now();
    const isLate = (each: PendingMessage) => each.error === null && now - each.at > RESUMED_MS;
    const lost = new ParleyError("connection_lost", "The page was closed before it was sent.");
    this.all.set(stored.map((each) => (isLate(each) ? { ...each, error: lost } : each)));
    for (const each of this.all.get()) if (each.error === null) void this.#try(each);
  }

  send(draft: Draft): void {
    const sending = { ...draft, key: newIdempotencyKey(), at: Date.now(), error: null };
    this.all.change((all) => [...all, sending]);
    if (this.#owner !== null) storePending(this.#owner, sending);
    void this.#try(sending);
  }

  retry(key: string): void {
    const sending = this.all.get().find((each) => each.key === key);
    if (sending === undefined) return;
    this.#show({ ...sending, at: Date.now(), error: null });
    void this.#try(sending);
  }

  /** Removes a message that has arrived or was discarded. A request in flight may still succeed. */
  settle(key: string): void {
    if (!this.all.get().some((each) => each.key === key)) return;
    this.#tries.get(key)?.abort();
    if (this.#owner !== null) removePending(this.#owner, key);
    this.all.change((all) => all.filter((each) => each.key !== key));
  }

  async #try(sending: PendingMessage): Promise<void> {
    const { key, content, replyToId, sticker, threadRootId, alsoInChannel, expiresIn, files, linkPreviews } = sending;
    const owner = this.#owner;
    const trying = new AbortController();
    this.#tries.set(key, trying);
    try {
      const body = {
        channel_id: this.#channelId,
        client_msg_id: key,
        reply_to_id: replyToId,
        ...(threadRootId === null ? {} : { thread_root_id: threadRootId, also_in_channel: alsoInChannel }),
        ...(expiresIn === null ? {} : { expires_in: expiresIn }),
        link_previews: linkPreviews,
        ...(content === "" ? {} : { content }),
        ...(sticker === null ? {} : { sticker_id: sticker.sticker_id }),
        ...(files.length === 0 ? {} : { file_ids: files.map(({ file_id }) => file_id) }),
      };
      const { deduplicated } = await this.#send(body, trying.signal);
      if (owner !== null) removePending(owner, key);
      // An earlier attempt had succeeded; its event may be long past.
      if (deduplicated) this.settle(key);
    } catch (cause) {
      if (trying.signal.aborted) return;
      const error = cause instanceof ParleyError ? cause : new ParleyError("invalid_answer", String(cause));
      const failed = { ...sending, error };
      if (owner === this.#owner) this.#show(failed);
      else if (owner !== null) storePending(owner, failed);
    } finally {
      if (this.#tries.get(key) === trying) this.#tries.delete(key);
    }
  }

  #show(sending: PendingMessage): void {
    if (!this.all.get().some(({ key }) => key === sending.key)) return;
    if (this.#owner !== null) storePending(this.#owner, sending);
    this.all.change((all) => all.map((each) => (each.key === sending.key ? sending : each)));
  }
}
