import type { SetCommandsBody, SetCommandsResponse } from "@parley/protocol/agent-commands";
import type { SetSessionBody, SetSessionResponse } from "@parley/protocol/agent-sessions";
import type {
  AckMentionsBody,
  AckMentionsResponse,
  AgentLoginBody,
  AgentLoginResponse,
  AgentLogoutBody,
  AgentLogoutResponse,
  AgentMessagesQuery,
  AgentMessagesResponse,
  AgentSendBody,
  AgentSendResponse,
  AgentTypingBody,
  AgentTypingResponse,
  MentionsQuery,
  MentionsResponse,
} from "@parley/protocol/agents";
import type {
  AckInboxBody,
  AckInboxResponse,
  AskedKindsResponse,
  InboxItem,
  InboxKindsBody,
  InboxKindsResponse,
  InboxQuery,
  InboxResponse,
  MeResponse,
} from "@parley/protocol/inbox";
import type { ChatMessage, PendingMention } from "@parley/protocol/models";
import type { AgentCreatePollBody } from "@parley/protocol/poll-calls";
import type { AgentScheduleBody } from "@parley/protocol/scheduled";
import type {
  SendManyBody,
  SendManyResponse,
  StreamAppendBody,
  StreamAppendResponse,
  StreamCancelResponse,
  StreamFinishBody,
  StreamFinishResponse,
  StreamStartBody,
  StreamStartResponse,
} from "@parley/protocol/streams";
import type { AgentEvent, StreamOptions } from "../event-stream.ts";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import type { PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";
import { Polls } from "./polls.ts";
import { Scheduled } from "./scheduled.ts";

const streamPath = (streamId: number, act: string): string => `/api/agenthub/streams/${streamId}/${act}`;

/**
 * The calls of agents, with an API key (protocol §5). Every method throws `ParleyError`. `AgentClient` builds on these.
 */
export class AgentHub {
  /** Polls that the agent makes and closes. */
  readonly polls: Polls<AgentCreatePollBody>;
  /** The agent's messages that are sent later. */
  readonly scheduled: Scheduled<AgentScheduleBody>;
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
    this.polls = new Polls(http, "/api/agenthub/polls");
    this.scheduled = new Scheduled(http, "/api/agenthub/scheduled");
  }

  /** Shows the agent online in a channel. Idempotent. */
  login(body: AgentLoginBody, options?: RequestOptions): Promise<AgentLoginResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/login", body, idempotent: true }, options);
  }

  /** Removes the agent from online lists: of one channel, of one name, or of all. */
  logout(body: AgentLogoutBody = {}, options?: RequestOptions): Promise<AgentLogoutResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/logout", body, idempotent: true }, options);
  }

  /** Sends a message once; see `Messages.send`. The details of `context_stale` carry the missed messages. */
  send(body: AgentSendBody, options?: RequestOptions): Promise<AgentSendResponse> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/agenthub/send", body: keyed, idempotent: true }, options);
  }

  /** Sends 2 to 5 messages that follow each other: all or none, once. */
  sendMany(body: SendManyBody, options?: RequestOptions): Promise<SendManyResponse> {
    const messages = body.messages.map((each) => ({
      ...each,
      client_msg_id: each.client_msg_id ?? newIdempotencyKey(),
    }));
    const keyed = { ...body, messages };
    return this.#http.json({ method: "POST", path: "/api/agenthub/send-many", body: keyed, idempotent: true }, options);
  }

  /** Begins a message that grows; `AgentClient.stream` does all of it. The same key returns the same stream. */
  startStream(body: StreamStartBody, options?: RequestOptions): Promise<StreamStartResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/streams", body, idempotent: true }, options);
  }

  /** Appends a piece to a stream. Repeating it changes nothing. */
  appendToStream(streamId: number, body: StreamAppendBody, options?: RequestOptions): Promise<StreamAppendResponse> {
    return this.#http.json({ method: "POST", path: streamPath(streamId, "append"), body, idempotent: true }, options);
  }

  /** Makes a stream a message. Repeating it returns the first answer. */
  finishStream(streamId: number, body: StreamFinishBody = {}, options?: RequestOptions): Promise<StreamFinishResponse> {
    return this.#http.json({ method: "POST", path: streamPath(streamId, "finish"), body, idempotent: true }, options);
  }

  /** Ends a stream without a message. Idempotent. */
  cancelStream(streamId: number, options?: RequestOptions): Promise<StreamCancelResponse> {
    return this.#http.json({ method: "POST", path: streamPath(streamId, "cancel"), idempotent: true }, options);
  }

  /** Shows in a channel that the agent is thinking, or has stopped. Expires after 12 s; see `AgentClient.thinking`. */
  typing(body: AgentTypingBody, options?: RequestOptions): Promise<AgentTypingResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/typing", body, noWait: true }, options);
  }

  /** Says what the agent does in a thread: its title, and whether it works, is done or has failed. */
  setSession(body: SetSessionBody, options?: RequestOptions): Promise<SetSessionResponse> {
    return this.#http.json({ method: "PUT", path: "/api/agenthub/sessions", body, idempotent: true }, options);
  }

  /** Declares the commands that people can write to the agent, everywhere or in one channel. The list replaces the one before it. */
  setCommands(body: SetCommandsBody, options?: RequestOptions): Promise<SetCommandsResponse> {
    return this.#http.json({ method: "PUT", path: "/api/agenthub/commands", body, idempotent: true }, options);
  }

  /**
   * Lists a channel's messages: with `after_seq` in order of `seq`, otherwise newest first. With `after_seq` and `wait`
   * (seconds) the first page waits for something new. A page's `messages` are always oldest to newest.
   */
  messages(query: AgentMessagesQuery, options?: RequestOptions): PagePromise<AgentMessagesResponse, ChatMessage> {
    return this.#http.pages("/api/agenthub/messages", query, MESSAGES, options);
  }

  /**
   * Lists pending mentions, oldest first; with `include_removed` newest first. Reading removes them unless `mark_read` is
   * false. A lost response would lose them, so the call is retried only with `mark_read: false`. Then the mentions stay
   * until `ackMentions`, and the list has one page.
   */
  mentions(query: MentionsQuery = {}, options?: RequestOptions): PagePromise<MentionsResponse, PendingMention> {
    const idempotent = query.mark_read === false;
    return this.#http.pages("/api/agenthub/mentions", query, { ...MENTIONS, idempotent }, options);
  }

  /** Removes mentions that were read with `mark_read: false`. */
  ackMentions(body: AckMentionsBody, options?: RequestOptions): Promise<AckMentionsResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/mentions/ack", body, idempotent: true }, options);
  }

  /** Returns whose key this is: the agent, its names, owner, channels and limits. */
  me(options?: RequestOptions): Promise<MeResponse> {
    return this.#http.json({ method: "GET", path: "/api/agenthub/me" }, options);
  }

  /**
   * Lists what waits for the agent, oldest first: mentions, messages of direct conversations, notices, and what it asked for. Removes nothing.
   * With `wait` (seconds) the first page waits for an item, with `after_item_id` for one after it.
   */
  inbox(query: InboxQuery = {}, options?: RequestOptions): PagePromise<InboxResponse, InboxItem> {
    return this.#http.pages("/api/agenthub/inbox", query, INBOX, options);
  }

  /**
   * Asks for more kinds of items under one of the agent's names: replies, commands, all messages of its channels, edits,
   * reactions, its places in channels. Replaces what was asked for before. Items are made of what happens afterwards.
   */
  setInboxKinds(body: InboxKindsBody, options?: RequestOptions): Promise<InboxKindsResponse> {
    return this.#http.json({ method: "PUT", path: "/api/agenthub/inbox/kinds", body, idempotent: true }, options);
  }

  /** Returns which kinds of items the agent's names have asked for. */
  inboxKinds(options?: RequestOptions): Promise<AskedKindsResponse> {
    return this.#http.json({ method: "GET", path: "/api/agenthub/inbox/kinds", idempotent: true }, options);
  }

  /** Removes items from the inbox; a mention is then gone from the mentions, too. */
  ackInbox(body: AckInboxBody, options?: RequestOptions): Promise<AckInboxResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/inbox/ack", body, idempotent: true }, options);
  }

  /** Yields the events of the agent's channels, and its mentions, until the signal is aborted. See `agentEvents`. */
  async *events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    // Clients that are no agents, such as the page, need not load it.
    const { agentEvents } = await import("../event-stream.ts");
    yield* agentEvents(this.#http, options);
  }
}

const waitOf = (query: { wait?: number | undefined }): number => Math.min(query.wait ?? 0, 30) * 1_000;

const MESSAGES = {
  heldMs: waitOf,
  items: ({ messages }: AgentMessagesResponse, query: AgentMessagesQuery) =>
    query.after_seq === undefined ? messages.toReversed() : messages,
  next: ({ has_more, next_before, next_after_seq }: AgentMessagesResponse, query: AgentMessagesQuery) => {
    if (!has_more) return null;
    if (query.after_seq !== undefined) return next_after_seq == null ? null : { after_seq: next_after_seq };
    return next_before == null ? null : { before: next_before, offset: undefined };
  },
};

const INBOX = {
  heldMs: waitOf,
  items: ({ items }: InboxResponse) => items,
  next: ({ remaining, last_item_id }: InboxResponse) =>
    remaining === 0 ? null : { after_item_id: last_item_id, wait: undefined },
};

const MENTIONS = {
  heldMs: waitOf,
  items: ({ mentions }: MentionsResponse) => mentions,
  next: ({ mentions, remaining, mark_read }: MentionsResponse, query: MentionsQuery) => {
    const last = mentions.at(-1);
    if (remaining === 0 || last === undefined) return null;
    if (query.include_removed === true) return { before_mention_id: last.mention_id };
    // With `mark_read`, this read removed its mentions, so the same query returns the following ones.
    return mark_read ? {} : null;
  },
};
