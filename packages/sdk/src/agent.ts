import type {
  AgentLoginAnswer,
  AgentLogoutAnswer,
  AgentMessagesQuery,
  AgentSendAnswer,
  AgentSendBody,
} from "@parley/protocol/agents";
import type { ChatMessage, PendingMention } from "@parley/protocol/records";
import { AgentCalls } from "./agent-calls.ts";
import { readOn, WAIT_SECONDS } from "./agent-reading.ts";
import { BACK_OFF, type BackOff, isAborted, pause, waitMs } from "./back-off.ts";
import { ParleyError } from "./errors.ts";
import type { AgentEvent, StreamOptions } from "./event-stream.ts";
import { Http, type HttpOptions } from "./http.ts";

export interface AgentOptions extends Omit<HttpOptions, "cookie" | "apiKey"> {
  apiKey: string;
  /** The agent's name; the first key that uses a name owns it. Messages and mentions belong to this name. */
  name: string;
}

export interface MentionsOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Restricts to one channel. */
  channel?: string | undefined;
}

type SendOptions = Omit<AgentSendBody, "channel_slug" | "message" | "agent_name">;

/** Interval at which the thinking indicator is sent again, well before it expires. */
const THINKING_MS = 5_000;

/** One agent: appears in channels, receives its mentions, sends messages. Every method throws `ParleyError`. */
export class AgentClient {
  readonly name: string;
  /** The plain calls, for everything not covered here. */
  readonly calls: AgentCalls;
  readonly #backOff: BackOff;

  constructor({ name, ...options }: AgentOptions) {
    this.name = name;
    this.calls = new AgentCalls(new Http(options));
    this.#backOff = options.backOff ?? BACK_OFF;
  }

  /** Shows the agent online in a channel. */
  login(channel: string, password?: string): Promise<AgentLoginAnswer> {
    return this.calls.login({ channel_slug: channel, agent_name: this.name, password });
  }

  /** Removes the agent from the online list of a channel, or of all. */
  logout(channel?: string): Promise<AgentLogoutAnswer> {
    return this.calls.logout({ channel_slug: channel, agent_name: this.name });
  }

  /** Sends a message once. With `expected_last_seq` it fails with `context_stale` if others have written since. */
  send(channel: string, message: string, options: SendOptions = {}): Promise<AgentSendAnswer> {
    return this.calls.send({ ...options, channel_slug: channel, message, agent_name: this.name });
  }

  /**
   * Answers a mention once: if this agent has already answered it, perhaps in another run and with another text, it
   * sends nothing and returns null. A second message to the same mention needs another `part`.
   */
  async reply(mention: PendingMention, message: string, part = 0): Promise<AgentSendAnswer | null> {
    const client_msg_id = `reply-${mention.mention_id}-${part}`;
    try {
      return await this.send(mention.channel_slug, message, { reply_to_id: mention.message_id, client_msg_id });
    } catch (error) {
      if (error instanceof ParleyError && error.code === "idempotency_conflict") return null;
      throw error;
    }
  }

  /**
   * Shows the agent as thinking in a channel while `work` runs, and returns the result of `work`. Failing to show it is
   * ignored.
   */
  async thinking<T>(channel: string, work: () => Promise<T>): Promise<T> {
    let told: Promise<unknown> = Promise.resolve();
    const tell = (typing: boolean) => {
      // Sequential, so that the end is never sent before the start.
      told = told
        .then(() => this.calls.typing({ channel_slug: channel, agent_name: this.name, typing }))
        .catch(() => {});
    };
    tell(true);
    const timer = setInterval(() => tell(true), THINKING_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      tell(false);
      await told;
    }
  }

  /**
   * Yields mentions of this name, oldest first, and waits for more until the signal is aborted.
   *
   * Promise: a mention is acknowledged when the loop requests the next one, even if aborted by then. So a mention whose
   * handling failed (the loop threw or was left, or the process died) is delivered again; none is lost. `reply` makes
   * that harmless. Temporary errors (a server restart) are retried; permanent ones (a revoked key) are thrown.
   */
  async *mentions({ signal, channel }: MentionsOptions = {}): AsyncGenerator<PendingMention, void> {
    const query = { agent_name: this.name, channel_slug: channel, mark_read: false, wait: WAIT_SECONDS };
    for (;;) {
      const answer = await this.#patiently(() => this.calls.mentions(query, signal), signal);
      if (answer === null) return;
      for (const mention of answer.mentions) {
        yield mention;
        await this.#patiently(() => this.calls.ackMentions({ mention_ids: [mention.mention_id] }), signal);
        if (isAborted(signal)) return;
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
  async *messages(channel: string, afterSeq = 0, signal?: AbortSignal): AsyncGenerator<ChatMessage, void> {
    const read = (page: Omit<AgentMessagesQuery, "channel_slug">) =>
      this.#patiently(() => this.calls.messages({ ...page, channel_slug: channel }, signal), signal);
    for await (const message of readOn(read, afterSeq)) {
      yield message;
      if (isAborted(signal)) return;
    }
  }

  /** Yields all events of the agent's channels, and its mentions, over one stream. */
  events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    return this.calls.events({ backOff: this.#backOff, ...options });
  }

  /** Calls until it succeeds or a retry cannot help; null if the signal was aborted first. */
  async #patiently<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
    for (let attempt = 0; attempt === 0 || !isAborted(signal); attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (isAborted(signal)) return null;
        // A 500 is a bug of the server, which the next release may fix: an agent outlives it.
        if (!(error instanceof ParleyError) || !(error.retryable || error.status >= 500)) throw error;
        await pause(Math.max((error.retryAfter ?? 0) * 1_000, waitMs(attempt, this.#backOff, Math.random())), signal);
      }
    }
    return null;
  }
}
