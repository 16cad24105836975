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
  /** The agent's name; the first key that uses a name owns it. Messages and mentions are this name's. */
  name: string;
}

export interface MentionsOptions {
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
  /** Only those of one channel. */
  channel?: string | undefined;
}

type SendOptions = Omit<AgentSendBody, "channel_slug" | "message" | "agent_name">;

/** What an agent thinks is told again after so long, well before it fades. */
const THINKING_MS = 5_000;

/** One agent: shows itself in channels, hears its mentions, speaks. Every method throws `ParleyError`. */
export class AgentClient {
  readonly name: string;
  /** The plain calls, for what is not here. */
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

  /** Takes it off the online list of a channel, or of all. */
  logout(channel?: string): Promise<AgentLogoutAnswer> {
    return this.calls.logout({ channel_slug: channel, agent_name: this.name });
  }

  /** Says something, once. `expected_last_seq` refuses with `context_stale` when others have spoken since. */
  send(channel: string, message: string, options: SendOptions = {}): Promise<AgentSendAnswer> {
    return this.calls.send({ ...options, channel_slug: channel, message, agent_name: this.name });
  }

  /**
   * Answers a mention, once: when this agent has answered it already, perhaps in another run and with another text, nothing is sent and
   * null comes back. A second message to the same mention takes another `part`.
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
   * Shows the agent as thinking in a channel while `work` runs, and gives back what that does. Only a sign: that it could not be shown
   * changes nothing.
   */
  async thinking<T>(channel: string, work: () => Promise<T>): Promise<T> {
    let told: Promise<unknown> = Promise.resolve();
    const tell = (typing: boolean) => {
      // One after the other, so that the end is never told before the beginning.
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
   * This name's mentions as they come, oldest first, waiting for more until the signal is aborted.
   *
   * Promise: a mention is acknowledged when the loop asks for the next one, aborted by then or not, so one whose handling failed (the loop
   * threw, was left, or the process died) comes again; none is lost. `reply` makes that harmless. What passes (the server restarts) is
   * waited out; what does not (a revoked key) is thrown.
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
   * The history of a channel, oldest first, from a seq on; then whatever comes, by long poll, until the signal is aborted.
   *
   * Promise: each message once, in order, none left out. When the server is restored from a backup, numbers are given out anew: then all
   * comes that was said since the last message that was handed out, whatever its number. A seq of an earlier run is of the data of that
   * run: keep the `epoch` of `login` beside it, and begin at 0 when that is another.
   */
  async *messages(channel: string, afterSeq = 0, signal?: AbortSignal): AsyncGenerator<ChatMessage, void> {
    const read = (page: Omit<AgentMessagesQuery, "channel_slug">) =>
      this.#patiently(() => this.calls.messages({ ...page, channel_slug: channel }, signal), signal);
    for await (const message of readOn(read, afterSeq)) {
      yield message;
      if (isAborted(signal)) return;
    }
  }

  /** All that happens in the channels it is logged in to, and its mentions, over one stream. */
  events(options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
    return this.calls.events({ backOff: this.#backOff, ...options });
  }

  /** Calls, until it succeeds or trying again cannot help; null: the signal was aborted before it did. */
  async #patiently<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
    for (let attempt = 0; attempt === 0 || !isAborted(signal); attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (isAborted(signal)) return null;
        // A 500 is a bug of the server's, and it may be gone with the next release: an agent outlives it.
        if (!(error instanceof ParleyError) || !(error.retryable || error.status >= 500)) throw error;
        await pause(Math.max((error.retryAfter ?? 0) * 1_000, waitMs(attempt, this.#backOff, Math.random())), signal);
      }
    }
    return null;
  }
}
