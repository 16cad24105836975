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

/** What agents call, with an API key (protocol §5). Every method throws `ParleyError`. `AgentClient` is made of these. */
export class AgentCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Shows the agent online in a channel. Again changes nothing. */
  login(body: AgentLoginBody): Promise<AgentLoginAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/login", body, repeatable: true });
  }

  /** Takes the agent off online lists: of one channel, of one name, or everywhere. */
  logout(body: AgentLogoutBody = {}): Promise<AgentLogoutAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/logout", body, repeatable: true });
  }

  /** Sends a message once; see `MessageCalls.send`. `context_stale` carries what was missed in its details. */
  send(body: AgentSendBody): Promise<AgentSendAnswer> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newKey() };
    return this.#http.json({ method: "POST", path: "/api/agenthub/send", body: keyed, repeatable: true });
  }

  /** Shows a channel that the agent thinks, or has stopped. It fades after 12 s; see `AgentClient.thinking`. */
  typing(body: AgentTypingBody): Promise<AgentTypingAnswer> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/typing", body, impatient: true });
  }

  /** A page of messages; with `after_seq` and `wait` it waits up to so many seconds for something new. */
  messages(query: AgentMessagesQuery, signal?: AbortSignal): Promise<AgentMessagesAnswer> {
    return this.#http.json({ method: "GET", path: "/api/agenthub/messages", query, extraMs: waitOf(query), signal });
  }

  /**
   * Pending mentions, oldest first. Reading removes them unless `mark_read` is false; then a lost answer loses them too, so it is only
   * repeated when they stay until `ackMentions`.
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

  /** The events of the channels the agent is logged in to, and its mentions, until the signal is aborted. See `agentEvents`. */
  events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    return agentEvents(this.#http, options);
  }
}

const waitOf = (query: { wait?: number | undefined }): number => Math.min(query.wait ?? 0, 30) * 1_000;
