import type {
  DeleteMessageAnswer,
  EditMessageAnswer,
  HistoryAnswer,
  HistoryQuery,
  PinAnswer,
  SendMessageAnswer,
  SendMessageBody,
} from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/records";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/** Messages (contract, section 4). Every method throws `ParleyError`. */
export class MessageCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** A page, oldest to newest; the newest page without a cursor. `channel_id` takes a slug too. */
  history(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryAnswer> {
    return this.#http.json({ method: "GET", path: "/api/messages", query, signal });
  }

  /** All messages after a seq, oldest first, page by page, until there are no more. */
  async *after(channel: number | string, afterSeq = 0, signal?: AbortSignal): AsyncGenerator<ChatMessage, void> {
    for (let from: number | null = afterSeq; from !== null; ) {
      const page: HistoryAnswer = await this.history({ channel_id: channel, after_seq: from, limit: 200 }, signal);
      yield* page.messages;
      from = page.has_more ? (page.next_after_seq ?? null) : null;
    }
  }

  /**
   * Sends a message once: it carries a key, so it is repeated safely when its answer is lost. Give a `client_msg_id` of your own to
   * repeat it from another process too.
   */
  send(body: SendMessageBody): Promise<SendMessageAnswer> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newKey() };
    return this.#http.json({ method: "POST", path: "/api/messages", body: keyed, repeatable: true });
  }

  edit(messageId: number, content: string): Promise<EditMessageAnswer> {
    return this.#http.json({ method: "PUT", path: messagePath(messageId), body: { content } });
  }

  /** Deleting again changes nothing. */
  delete(messageId: number): Promise<DeleteMessageAnswer> {
    return this.#http.json({ method: "DELETE", path: messagePath(messageId), repeatable: true });
  }

  /** Pinning again changes nothing. */
  pin(messageId: number): Promise<PinAnswer> {
    return this.#http.json({ method: "POST", path: `${messagePath(messageId)}/pin`, repeatable: true });
  }

  unpin(messageId: number): Promise<PinAnswer> {
    return this.#http.json({ method: "POST", path: `${messagePath(messageId)}/unpin`, repeatable: true });
  }
}

const messagePath = (messageId: number): string => `/api/messages/${messageId}`;
