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

  /** Finds messages in all that the caller may read, newest first. Page on with `before: next_before` while `has_more`. */
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#http.json({ method: "GET", path: "/api/search/messages", query, signal });
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

  /** Gives a reaction: an emoji, or a short name such as `like`. Again changes nothing. */
  react(messageId: number, reaction: string): Promise<ReactionsAnswer> {
    return this.#http.json({ method: "PUT", path: reactionPath(messageId, reaction), repeatable: true });
  }

  /** Takes one's own reaction back. Again changes nothing. */
  unreact(messageId: number, reaction: string): Promise<ReactionsAnswer> {
    return this.#http.json({ method: "DELETE", path: reactionPath(messageId, reaction), repeatable: true });
  }

  /** Tells the moderators of a message; while that report is open another is the same. */
  report(messageId: number, reason: string): Promise<ReportMessageAnswer> {
    const path = `${messagePath(messageId)}/report`;
    return this.#http.json({ method: "POST", path, body: { reason }, repeatable: true });
  }
}

const reactionPath = (messageId: number, reaction: string): string =>
  `${messagePath(messageId)}/reactions/${encodeURIComponent(reaction)}`;
const messagePath = (messageId: number): string => `/api/messages/${messageId}`;
