import type {
  AgentLoginResponse,
  AgentLogoutResponse,
  AgentMessagesQuery,
  AgentSendBody,
  AgentSendResponse,
} from "@parley/protocol/agents";
import type { ChatMessage, PendingMention } from "@parley/protocol/models";
import { BACKOFF, type Backoff, isAborted, pause, waitMs } from "./backoff.ts";
import { ParleyError } from "./errors.ts";
import type { AgentEvent, StreamOptions } from "./event-stream.ts";
import { Http } from "./http.ts";
import { pollMessages, WAIT_SECONDS } from "./message-poll.ts";
import { ChannelSubscription } from "./realtime/channel-subscription.ts";
import { RealtimeClient } from "./realtime/realtime-client.ts";
import type { RealtimeOptions } from "./realtime/realtime-types.ts";
import type { SubscribeOptions } from "./realtime/subscription-types.ts";
import type { ClientOptions, RequestOptions } from "./request-options.ts";
import { AgentHub } from "./resources/agent.ts";
import { Messages } from "./resources/messages.ts";

export interface AgentOptions extends Omit<ClientOptions, "cookie" | "apiKey"> {
  apiKey: string;
  /** The agent's name; the first key that uses a name owns it. Messages and mentions belong to this name. */
  name: string;
}

export interface MentionsOptions extends RequestOptions {
  /** Restricts to one channel. */
  channel?: string | undefined;
}

export interface MessagesOptions extends RequestOptions {
  /** Starts after this seq. Default 0: with the first message. */
  afterSeq?: number | undefined;
}

export interface ReplyOptions extends RequestOptions {
  /** The number of this message among several to the same mention. Default 0. */
  part?: number | undefined;
}

/** The fields of a send beside the channel, the text and the agent's name. */
export type SendFields = Omit<AgentSendBody, "channel_slug" | "message" | "agent_name">;

/** Interval at which the thinking indicator is sent again, well before it expires. */
const THINKING_MS = 5_000;

/** One agent: appears in channels, receives its mentions, sends messages. Every method throws `ParleyError`. */
export class AgentClient {
  readonly name: string;
  /** The plain calls, for everything not covered here. */
  readonly calls: AgentHub;
  readonly #backoff: Backoff;
  readonly #apiKey: string;
  readonly #http: Http;

  constructor({ name, ...options }: AgentOptions) {
    this.name = name;
    this.#apiKey = options.apiKey;
    this.#http = new Http(options);
    this.calls = new AgentHub(this.#http);
    this.#backoff = options.backoff ?? BACKOFF;
  }

  /** Shows the agent online in a channel. */
  login(
    channel: string,
    fields: { password?: string | undefined } = {},
    options?: RequestOptions,
  ): Promise<AgentLoginResponse> {
    return this.calls.login({ ...fields, channel_slug: channel, agent_name: this.name }, options);
  }

  /** Removes the agent from the online list of a channel, or of all. */
  logout(channel?: string, options?: RequestOptions): Promise<AgentLogoutResponse> {
    return this.calls.logout({ channel_slug: channel, agent_name: this.name }, options);
  }

  /** Sends a message once. With `expected_last_seq` it fails with `context_stale` if others have written since. */
  send(
    channel: string,
    message: string,
    fields: SendFields = {},
    options?: RequestOptions,
  ): Promise<AgentSendResponse> {
    return this.calls.send({ ...fields, channel_slug: channel, message, agent_name: this.name }, options);
  }

  /**
   * Answers a mention once: if this agent has already answered it, perhaps in another run and with another text, it
   * sends nothing and returns null. A second message to the same mention needs another `part`.
   */
  async reply(
    mention: PendingMention,
    message: string,
    { part = 0, ...options }: ReplyOptions = {},
  ): Promise<AgentSendResponse | null> {
    const fields = { reply_to_id: mention.message_id, client_msg_id: `reply-${mention.mention_id}-${part}` };
    try {
      return await this.send(mention.channel_slug, message, fields, options);
    } catch (error) {
      if (error instanceof ParleyError && error.is("idempotency_conflict")) return null;
      throw error;
    }
  }

  /**
   * Shows the agent as thinking in a channel while `work` runs, and returns the result of `work`. Failing to show it is
   * ignored.
   */
  async thinking<T>(channel: string, work: () => Promise<T>, options?: RequestOptions): Promise<T> {
    let reported: Promise<unknown> = Promise.resolve();
    const report = (typing: boolean) => {
      // Sequential, so that the end is never sent before the start.
      reported = reported
        .then(() => this.calls.typing({ channel_slug: channel, agent_name: this.name, typing }, options))
        .catch(() => {});
    };
    report(true);
    const timer = setInterval(() => report(true), THINKING_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      report(false);
      await reported;
    }
  }

  /**
   * Yields mentions of this name, oldest first, and waits for more until the signal is aborted.
   *
   * Promise: a mention is acknowledged when the loop requests the next one, even if the signal is aborted by then. If
   * its handling fails (the loop throws or is left, or the process dies), the mention is delivered again, and `reply`
   * does not answer it twice. No mention is lost. Temporary errors (a server restart) are retried; permanent ones (a revoked key) are thrown.
   */
  async *mentions({ channel, ...options }: MentionsOptions = {}): AsyncGenerator<PendingMention, void> {
    const query = { agent_name: this.name, channel_slug: channel, mark_read: false, wait: WAIT_SECONDS };
    for (;;) {
      const answer = await this.#retryForever((each) => this.calls.mentions(query, each), options);
      if (answer === null) return;
      for (const mention of answer.mentions) {
        yield mention;
        const read = { mention_ids: [mention.mention_id] };
        // Acknowledged even if aborted by now, because it has been handled.
        await this.#retryForever((each) => this.calls.ackMentions(read, { ...each, signal: undefined }), options);
        if (isAborted(options.signal)) return;
      }
    }
  }

  /**
   * Yields the history of a channel, oldest first, from a seq on; then new messages, by long poll, until the signal is
   * aborted.
   *
   * Promise: each message once, in order, without gaps. Restoring the server from a backup reassigns numbers; then
   * every message sent since the last one yielded follows, whatever its number. A seq of an earlier run belongs to the
   * data of that run: store the `epoch` of `login` with it, and start at 0 if the epoch differs.
   */
  async *messages(
    channel: string,
    { afterSeq = 0, ...options }: MessagesOptions = {},
  ): AsyncGenerator<ChatMessage, void> {
    const read = (page: Omit<AgentMessagesQuery, "channel_slug">) =>
      this.#retryForever((each) => this.calls.messages({ ...page, channel_slug: channel }, each), options);
    for await (const message of pollMessages(read, afterSeq)) {
      yield message;
      if (isAborted(options.signal)) return;
    }
  }

  /** Yields all events of the agent's channels, and its mentions, over one stream. */
  events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    return this.calls.events({ backoff: this.#backoff, ...options });
  }

  /**
   * Opens a socket of this agent that reconnects until it is closed or the key is no longer accepted. Its commands act
   * under `agent_name`, or under the agent's only name.
   */
  realtime(options: RealtimeOptions = {}): RealtimeClient {
    const credentials = () => ({});
    return new RealtimeClient({ url: this.#http.url, credentials }, { apiKey: this.#apiKey, ...options });
  }

  /**
   * Shows the agent online in a channel and subscribes to it over a socket of this client: every event in order, once,
   * across disconnects.
   */
  subscribe(realtime: RealtimeClient, options: SubscribeOptions): ChannelSubscription {
    const messages = new Messages(this.#http);
    const named = { agentName: this.name, ...options };
    return new ChannelSubscription({ realtime, history: (query) => messages.list(query) }, named);
  }

  /**
   * Calls until it succeeds or a retry cannot help; null if the signal was aborted first. Retries are not limited unless
   * `maxRetries` is given.
   */
  async #retryForever<T>(call: (each: RequestOptions) => Promise<T>, options: RequestOptions): Promise<T | null> {
    const { signal, maxRetries = Number.POSITIVE_INFINITY } = options;
    const each = options.maxRetries === undefined ? options : { ...options, maxRetries: 0 };
    for (let attempt = 0; attempt === 0 || !isAborted(signal); attempt += 1) {
      try {
        return await call(each);
      } catch (error) {
        if (isAborted(signal)) return null;
        // A 500 is a bug of the server, which the next release may fix: an agent outlives it.
        if (!(error instanceof ParleyError) || !(error.retryable || error.status >= 500)) throw error;
        if (attempt >= maxRetries) throw error;
        await pause(Math.max((error.retryAfter ?? 0) * 1_000, waitMs(attempt, this.#backoff, Math.random())), signal);
      }
    }
    return null;
  }
}
