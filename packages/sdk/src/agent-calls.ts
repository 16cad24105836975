import type {
  AckMentionsAnswer,
  AckMentionsBody,
  AgentLoginAnswer,
  AgentLoginBody,
  AgentLogoutAnswer,
  AgentLogoutBody,
  AgentMessagesAnswer,
  AgentMessagesQuery,
  AgentSendAnswer,
  AgentSendBody,
  AgentTypingAnswer,
  AgentTypingBody,
  MentionsAnswer,
  MentionsQuery,
} from "@parley/protocol/agents";
import { type AgentEvent, agentEvents, type StreamOptions } from "./event-stream.ts";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/**
 * The calls of agents, with an API key (protocol §5). Every method throws `ParleyError`. `AgentClient` builds on these.
 */
export class AgentCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Shows the agent online in a channel. Idempotent. */
  login(body: AgentLoginBody): Promise<AgentLoginAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/login", body, repeatable: true });
  }

  /** Removes the agent from online lists: of one channel, of one name, or of all. */
  logout(body: AgentLogoutBody = {}): Promise<AgentLogoutAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/logout", body, repeatable: true });
  }

  /** Sends a message once; see `MessageCalls.send`. The details of `context_stale` carry the missed messages. */
  send(body: AgentSendBody): Promise<AgentSendAnswer> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newKey() };
    return this.#http.json({ method: "POST", path: "/api/agenthub/send", body: keyed, repeatable: true });
  }

  /** Shows in a channel that the agent is thinking, or has stopped. Expires after 12 s; see `AgentClient.thinking`. */
  typing(body: AgentTypingBody): Promise<AgentTypingAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/typing", body, impatient: true });
  }

  /** Returns a page of messages; with `after_seq` and `wait` (seconds) it waits for something new. */
  messages(query: AgentMessagesQuery, signal?: AbortSignal): Promise<AgentMessagesAnswer> {
    return this.#http.json({ method: "GET", path: "/api/agenthub/messages", query, extraMs: waitOf(query), signal });
  }

  /**
   * Returns pending mentions, oldest first. Reading removes them unless `mark_read` is false, so a lost answer loses
   * them. The call is therefore retried only with `mark_read: false`, where mentions stay until `ackMentions`.
   */
  mentions(query: MentionsQuery = {}, signal?: AbortSignal): Promise<MentionsAnswer> {
    const repeatable = query.mark_read === false;
    const extraMs = waitOf(query);
    return this.#http.json({ method: "GET", path: "/api/agenthub/mentions", query, repeatable, extraMs, signal });
  }

  /** Removes mentions that were read with `mark_read: false`. */
  ackMentions(body: AckMentionsBody): Promise<AckMentionsAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/mentions/ack", body, repeatable: true });
  }

  /** Yields the events of the agent's channels, and its mentions, until the signal is aborted. See `agentEvents`. */
  events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    return agentEvents(this.#http, options);
  }
}

const waitOf = (query: { wait?: number | undefined }): number => Math.min(query.wait ?? 0, 30) * 1_000;
