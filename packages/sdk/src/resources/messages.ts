import type { PinBody } from "@parley/protocol/agents";
import type {
  DeleteMessageResponse,
  EditMessageResponse,
  HistoryQuery,
  HistoryResponse,
  PinResponse,
  ReactionsResponse,
  ReactorsQuery,
  ReactorsResponse,
  SendMessageBody,
  SendMessageResponse,
  SendMessagesBody,
  SendMessagesResponse,
} from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { ReportMessageResponse } from "@parley/protocol/moderation";
import type { FoundMessage, SearchQuery, SearchResponse } from "@parley/protocol/search";
import type { StreamResponse } from "@parley/protocol/streams";
import type {
  FollowThreadResponse,
  ReadThreadBody,
  ReadThreadResponse,
  ThreadQuery,
  ThreadResponse,
  ThreadsQuery,
  ThreadsResponse,
  UpdateThreadBody,
  UpdateThreadResponse,
} from "@parley/protocol/thread-calls";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byId, byOffset, type List, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** `agent_name`: of an agent, the name under which it pins. */
export interface PinOptions extends RequestOptions, PinBody {}

/** Messages (protocol §4). Every method throws `ParleyError`. */
export class Messages {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Lists a channel's messages; `channel_id` takes a slug too. With `after_seq`, `after` or `since` the list is in
   * order of `seq`: `after_seq: 0` starts at the first message. Otherwise it is newest first. With `around` or `ids` it
   * has one page. A page's `messages` are always oldest to newest, as the server returns them. `format: "plain"`: texts
   * without Markdown.
   */
  list(query: HistoryQuery, options?: RequestOptions): PagePromise<HistoryResponse, ChatMessage> {
    return this.#http.pages("/api/messages", query, HISTORY, options);
  }

  /**
   * Sends a message once: it carries an idempotency key, so it is retried safely when its answer is lost. Set your own
   * `client_msg_id` to be able to repeat it from another process.
   */
  send(body: SendMessageBody, options?: RequestOptions): Promise<SendMessageResponse> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/messages", body: keyed, idempotent: true }, options);
  }

  /**
   * Sends 2 to 5 messages that follow each other: all or none. Each carries an idempotency key, so the call is retried
   * safely when its answer is lost.
   */
  sendMany(body: SendMessagesBody, options?: RequestOptions): Promise<SendMessagesResponse> {
    const key = newIdempotencyKey();
    const messages = body.messages.map((part, at) => ({
      ...part,
      client_msg_id: part.client_msg_id ?? `${key}#${at + 1}`,
    }));
    const path = "/api/messages/send-many";
    return this.#http.json({ method: "POST", path, body: { ...body, messages }, idempotent: true }, options);
  }

  /** Searches all messages the caller may read, newest first. */
  search(query: SearchQuery, options?: RequestOptions): PagePromise<SearchResponse, FoundMessage> {
    const list = { items: ({ messages }: SearchResponse) => messages, next: byId };
    return this.#http.pages("/api/search/messages", query, list, options);
  }

  edit(messageId: number, content: string, options?: RequestOptions): Promise<EditMessageResponse> {
    return this.#http.json({ method: "PUT", path: messagePath(messageId), body: { content } }, options);
  }

  /** Deletes a message. Idempotent. */
  delete(messageId: number, options?: RequestOptions): Promise<DeleteMessageResponse> {
    return this.#http.json({ method: "DELETE", path: messagePath(messageId), idempotent: true }, options);
  }

  /** Pins a message. An agent may say under which of its names. Idempotent. */
  pin(messageId: number, { agent_name, ...options }: PinOptions = {}): Promise<PinResponse> {
    const path = `${messagePath(messageId)}/pin`;
    const body = agent_name == null ? {} : { body: { agent_name } };
    return this.#http.json({ method: "POST", path, ...body, idempotent: true }, options);
  }

  unpin(messageId: number, options?: RequestOptions): Promise<PinResponse> {
    return this.#http.json({ method: "POST", path: `${messagePath(messageId)}/unpin`, idempotent: true }, options);
  }

  /** Adds a reaction: an emoji, or a short name such as `like`. Idempotent. */
  react(messageId: number, reaction: string, options?: RequestOptions): Promise<ReactionsResponse> {
    return this.#http.json({ method: "PUT", path: reactionPath(messageId, reaction), idempotent: true }, options);
  }

  /** Removes the user's reaction. Idempotent. */
  unreact(messageId: number, reaction: string, options?: RequestOptions): Promise<ReactionsResponse> {
    return this.#http.json({ method: "DELETE", path: reactionPath(messageId, reaction), idempotent: true }, options);
  }

  /** Lists who gave a reaction. */
  reactors(
    messageId: number,
    reaction: string,
    query: ReactorsQuery = {},
    options?: RequestOptions,
  ): PagePromise<ReactorsResponse, Reactor> {
    const list = { items: ({ actors }: ReactorsResponse) => actors, next: byOffset };
    return this.#http.pages(reactionPath(messageId, reaction), query, list, options);
  }

  /**
   * Lists a thread: the message that began it, then the replies. With `after_seq` or `after` in order of `seq`, otherwise
   * newest first. A page's `messages` are always oldest to newest.
   */
  thread(
    messageId: number,
    query: ThreadQuery = {},
    options?: RequestOptions,
  ): PagePromise<ThreadResponse, ChatMessage> {
    return this.#http.pages(threadPath(messageId), query, THREAD, options);
  }

  /** Reads a message that an agent is still writing, as far as it is, or how it ended. */
  stream(streamId: number, options?: RequestOptions): Promise<StreamResponse> {
    return this.#http.json({ method: "GET", path: `/api/agenthub/streams/${streamId}` }, options);
  }

  /** Lists the threads that the user follows, that with the newest reply first. */
  threads(query: ThreadsQuery = {}, options?: RequestOptions): PagePromise<ThreadsResponse, FollowedThread> {
    const list = { items: ({ threads }: ThreadsResponse) => threads, next: byId };
    return this.#http.pages("/api/threads", query, list, options);
  }

  /** Follows a thread. Idempotent. */
  followThread(messageId: number, options?: RequestOptions): Promise<FollowThreadResponse> {
    return this.#http.json({ method: "PUT", path: `${threadPath(messageId)}/follow`, idempotent: true }, options);
  }

  /** No longer follows a thread. Idempotent. */
  unfollowThread(messageId: number, options?: RequestOptions): Promise<FollowThreadResponse> {
    return this.#http.json({ method: "DELETE", path: `${threadPath(messageId)}/follow`, idempotent: true }, options);
  }

  /** Marks a thread as read up to `seq`, or up to its newest reply. */
  readThread(messageId: number, body: ReadThreadBody = {}, options?: RequestOptions): Promise<ReadThreadResponse> {
    const path = `${threadPath(messageId)}/read`;
    return this.#http.json({ method: "POST", path, body, idempotent: true }, options);
  }

  /** Marks a thread that the user follows as unread from a message on, until the user reads it again. */
  markThreadUnread(messageId: number, seq: number, options?: RequestOptions): Promise<ReadThreadResponse> {
    const path = `${threadPath(messageId)}/unread`;
    return this.#http.json({ method: "POST", path, body: { seq }, idempotent: true }, options);
  }

  /** Locks a thread, in which then only the channel's admins reply, or unlocks it. */
  updateThread(messageId: number, body: UpdateThreadBody, options?: RequestOptions): Promise<UpdateThreadResponse> {
    return this.#http.json({ method: "PUT", path: threadPath(messageId), body, idempotent: true }, options);
  }

  /** Reports a message to the moderators; while that report is open, another call returns the same one. */
  report(messageId: number, reason: string, options?: RequestOptions): Promise<ReportMessageResponse> {
    const path = `${messagePath(messageId)}/report`;
    return this.#http.json({ method: "POST", path, body: { reason }, idempotent: true }, options);
  }
}

/** A thread in the list of those that the user follows. */
export type FollowedThread = ThreadsResponse["threads"][number];

/** A user or agent who gave a reaction. */
export type Reactor = ReactorsResponse["actors"][number];

const reactionPath = (messageId: number, reaction: string): string =>
  `${messagePath(messageId)}/reactions/${encodeURIComponent(reaction)}`;
const threadPath = (messageId: number): string => `${messagePath(messageId)}/thread`;
const messagePath = (messageId: number): string => `/api/messages/${messageId}`;

type Order = "ascending" | "descending" | "one page";

function orderOf({ after, after_seq, since, around, ids }: HistoryQuery): Order {
  if ([after, after_seq, since].some((cursor) => cursor !== undefined)) return "ascending";
  return around === undefined && ids === undefined ? "descending" : "one page";
}

const HISTORY: Omit<List<HistoryResponse, ChatMessage, HistoryQuery>, "fetch"> = {
  items: ({ messages }, query) => (orderOf(query) === "descending" ? messages.toReversed() : messages),
  next: (body, query) => {
    const order = orderOf(query);
    if (order === "descending") return byId(body);
    const { has_more, next_after_seq } = body;
    if (order === "one page" || !has_more || next_after_seq == null) return null;
    return { after: undefined, since: undefined, after_seq: next_after_seq };
  },
};

const THREAD: Omit<List<ThreadResponse, ChatMessage, ThreadQuery>, "fetch"> = {
  items: (body, query) => HISTORY.items(body, query),
  next: (body, query) => HISTORY.next?.(body, query) ?? null,
};
