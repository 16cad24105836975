import type {
  DeleteMessageAnswer,
  EditMessageAnswer,
  HistoryAnswer,
  HistoryQuery,
  PinAnswer,
  SendMessageAnswer,
  SendMessageBody,
} from "@parley/protocol/messages";
import type { ReactionsAnswer } from "@parley/protocol/reactions";
import type { ChatMessage } from "@parley/protocol/records";
import type { ReportMessageAnswer } from "@parley/protocol/reports";
import type { SearchAnswer, SearchQuery } from "@parley/protocol/search";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/** Messages (protocol §4). Every method throws `ParleyError`. */
export class MessageCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns a page, oldest to newest; without a cursor the newest one. `channel_id` takes a slug too. */
  history(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryAnswer> {
    return this.#http.json({ method: "GET", path: "/api/messages", query, signal });
  }

  /** Yields all messages after a seq, oldest first, page by page. */
  async *after(channel: number | string, afterSeq = 0, signal?: AbortSignal): AsyncGenerator<ChatMessage, void> {
    for (let from: number | null = afterSeq; from !== null; ) {
      const page: HistoryAnswer = await this.history({ channel_id: channel, after_seq: from, limit: 200 }, signal);
      yield* page.messages;
      from = page.has_more ? (page.next_after_seq ?? null) : null;
    }
  }

  /**
   * Sends a message once: it carries an idempotency key, so it is retried safely when its answer is lost. Set your own
   * `client_msg_id` to be able to repeat it from another process.
   */
  send(body: SendMessageBody): Promise<SendMessageAnswer> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newKey() };
    return this.#http.json({ method: "POST", path: "/api/messages", body: keyed, repeatable: true });
  }

  /** Searches all messages the caller may read, newest first. Read on with `before: next_before` while `has_more`. */
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#http.json({ method: "GET", path: "/api/search/messages", query, signal });
  }

  edit(messageId: number, content: string): Promise<EditMessageAnswer> {
    return this.#http.json({ method: "PUT", path: messagePath(messageId), body: { content } });
  }

  /** Deletes a message. Idempotent. */
  delete(messageId: number): Promise<DeleteMessageAnswer> {
    return this.#http.json({ method: "DELETE", path: messagePath(messageId), repeatable: true });
  }

  /** Pins a message. Idempotent. */
  pin(messageId: number): Promise<PinAnswer> {
    return this.#http.json({ method: "POST", path: `${messagePath(messageId)}/pin`, repeatable: true });
  }

  unpin(messageId: number): Promise<PinAnswer> {
    return this.#http.json({ method: "POST", path: `${messagePath(messageId)}/unpin`, repeatable: true });
  }

  /** Adds a reaction: an emoji, or a short name such as `like`. Idempotent. */
  react(messageId: number, reaction: string): Promise<ReactionsAnswer> {
    return this.#http.json({ method: "PUT", path: reactionPath(messageId, reaction), repeatable: true });
  }

  /** Removes the user's reaction. Idempotent. */
  unreact(messageId: number, reaction: string): Promise<ReactionsAnswer> {
    return this.#http.json({ method: "DELETE", path: reactionPath(messageId, reaction), repeatable: true });
  }

  /** Reports a message to the moderators; while that report is open, another call returns the same one. */
  report(messageId: number, reason: string): Promise<ReportMessageAnswer> {
    const path = `${messagePath(messageId)}/report`;
    return this.#http.json({ method: "POST", path, body: { reason }, repeatable: true });
  }
}

const reactionPath = (messageId: number, reaction: string): string =>
  `${messagePath(messageId)}/reactions/${encodeURIComponent(reaction)}`;
const messagePath = (messageId: number): string => `/api/messages/${messageId}`;
