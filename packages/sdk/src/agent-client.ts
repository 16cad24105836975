import type {
  AgentLoginResponse,
  AgentLogoutResponse,
  AgentMessagesQuery,
  AgentSendResponse,
} from "@parley/protocol/agents";
import type { AckInboxResponse, InboxQuery } from "@parley/protocol/inbox";
import type { ChatMessage, PendingMention } from "@parley/protocol/models";
import { type AgentFiles, agentFiles } from "./agent-files.ts";
import type {
  AgentOptions,
  InboxOptions,
  MentionsOptions,
  MessagesOptions,
  ReplyOptions,
  RunOptions,
  SendFields,
} from "./agent-options.ts";
import { type AgentSetup, readSetupUrl, redeemSetupCode, type SetupOptions } from "./agent-setup.ts";
import { AnswerStream, type StreamAnswerOptions, type StreamedAnswer, type StreamPieces } from "./answer-stream.ts";
import { answering, answerStart } from "./answering.ts";
import { type AskedAnswer, type AskOptions, ask } from "./ask.ts";
import { BACKOFF, type Backoff, isAborted } from "./backoff.ts";
import { ParleyError } from "./errors.ts";
import type { AgentEvent, StreamOptions } from "./event-stream.ts";
import { Http } from "./http.ts";
import { type AgentItem, InboxReader, type MessageItem, threadOf } from "./inbox-reader.ts";
import { InboxRun } from "./inbox-run.ts";
import { pollMessages, WAIT_SECONDS } from "./message-poll.ts";
import { type JoinOptions, paidLogin } from "./paid-login.ts";
import { ChannelSubscription } from "./realtime/channel-subscription.ts";
import { RealtimeClient } from "./realtime/realtime-client.ts";
import type { RealtimeOptions } from "./realtime/realtime-types.ts";
import type { SubscribeOptions } from "./realtime/subscription-types.ts";
import type { RequestOptions } from "./request-options.ts";
import { AgentHub } from "./resources/agent.ts";
import { Messages } from "./resources/messages.ts";
import { retryForever } from "./retry.ts";
import { whileThinking } from "./thinking.ts";

/** One agent: appears in channels, receives its mentions, sends messages. Every method throws `ParleyError`. */
export class AgentClient {
  readonly name: string;
  /** The plain calls, for everything not covered here. */
  readonly calls: AgentHub;
  readonly upload: AgentFiles["upload"];
  readonly readFile: AgentFiles["readFile"];
  readonly transcribe: AgentFiles["transcribe"];
  readonly #backoff: Backoff;
  readonly #apiKey: string;
  readonly #http: Http;

  constructor({ name, ...options }: AgentOptions) {
    this.name = name;
    this.#apiKey = options.apiKey;
    this.#http = new Http(options);
    this.calls = new AgentHub(this.#http);
    ({ upload: this.upload, readFile: this.readFile, transcribe: this.transcribe } = agentFiles(this.#http));
    this.#backoff = options.backoff ?? BACKOFF;
  }

  /**
   * Exchanges the address of a setup code for a key, once, and returns the agent. Store the key: with `keyFile`, or from
   * the answer. If the answer is lost, ask the owner for another code.
   * @throws ParleyError, TypeError (not the address of a code)
   */
  static async setup(setupUrl: string, options: SetupOptions = {}): Promise<AgentSetup<AgentClient>> {
    const key = await redeemSetupCode(setupUrl, options);
    const { keyFile: _, signal: __, name = key.agent_name ?? "PlatformAgent", ...rest } = options;
    return { agent: new AgentClient({ ...rest, name, url: readSetupUrl(setupUrl).url, apiKey: key.api_key }), key };
  }

  /** Shows the agent online in a channel. */
  login(
    channel: string,
    fields: { password?: string | undefined } = {},
    options?: RequestOptions,
  ): Promise<AgentLoginResponse> {
    return this.calls.login({ ...fields, channel_slug: channel, agent_name: this.name }, options);
  }

  /**
   * Logs in to a channel and pays for it if it has a price, within the cap, with your wallet (`payAndFetch`). Without a
   * wallet a price is the error `payment_required`.
   * @throws ParleyError, OverSpendingCap, PaymentIncomplete
   */
  join({ channel, ...join }: JoinOptions, options: RequestOptions = {}): Promise<AgentLoginResponse> {
    const body = { channel_slug: channel, agent_name: this.name, password: join.password };
    return paidLogin(this.#http, body, join, options);
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
   * Answers an item of the inbox or a mention once, in the thread where it was asked: if this agent has already answered it, perhaps in another run and
   * with another text, it sends nothing and returns null. A second message to the same item needs another `part`.
   */
  async reply(
    to: PendingMention | MessageItem,
    message: string,
    { part = 0, ...options }: ReplyOptions = {},
  ): Promise<AgentSendResponse | null> {
    const { channel_slug, ...fields } = answering(to, part);
    try {
      return await this.send(channel_slug, message, fields, options);
    } catch (error) {
      if (error instanceof ParleyError && error.is("idempotency_conflict")) return null;
      throw error;
    }
  }

  /** Asks people with a card, waits until the question has ended, and verifies the receipt: act on its `decision`. */
  ask(channel: string, question: string, options: AskOptions): Promise<AskedAnswer> {
    const place = { channel_slug: channel, agent_name: this.name };
    return ask({ http: this.#http, place, backoff: this.#backoff }, question, options);
  }

  /**
   * Writes an answer that appears as it is written, and becomes one message, in a channel or as the answer to an item. A
   * model yields the pieces; `{ status }` shows what the agent does, `finish` adds a card or usage at the end. A text that is too long is split at the end.
   */
  stream(
    to: string | PendingMention | MessageItem,
    pieces: StreamPieces,
    { part = 0, fields = {}, finish, ...options }: StreamAnswerOptions = {},
  ): Promise<StreamedAnswer> {
    const start = { ...answerStart(to, part, fields), agent_name: this.name };
    return new AnswerStream(this.calls, start, options, finish).write(pieces);
  }

  /**
   * Shows the agent as thinking in a channel, or where an item of the inbox or a mention asks, while `work` runs, and
   * returns the result of `work`. Failing to show it is ignored.
   */
  thinking<T>(
    place: string | PendingMention | MessageItem,
    work: () => Promise<T>,
    options?: RequestOptions,
  ): Promise<T> {
    const where =
      typeof place === "string" ? { channel_slug: place } : { channel_slug: place.channel_slug, ...threadOf(place) };
    const report = (typing: boolean) => this.calls.typing({ ...where, agent_name: this.name, typing }, options);
    return whileThinking(report, work);
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
   * Yields what waits for this name, oldest first: mentions, messages of direct conversations, answers to cards, notices,
   * and what it asked for with `calls.setInboxKinds`; then new items, until the signal is aborted.
   *
   * Promise: an item is acknowledged when the loop requests the next one, even if the signal is aborted by then. If its
   * handling fails, it stays in the inbox for the next loop, and `reply` does not answer it twice. No item is lost. With
   * `manualAck`, the loop acknowledges nothing, so that an item that fails does not stop it: call `ack` for those that
   * you have handled. Temporary errors are retried; permanent ones (a revoked key) are thrown.
   */
  async *inbox({ manualAck = false, ...options }: InboxOptions = {}): AsyncGenerator<AgentItem, void> {
    const reader = this.#reader(options);
    for await (const item of reader.items()) {
      yield item;
      if (!manualAck) {
        await this.#acknowledge(item, options);
        reader.acknowledged(item);
      }
    }
  }

  /** Acknowledges items: they leave the inbox, and mentions among them the mentions. */
  ack(items: AgentItem | readonly AgentItem[], options?: RequestOptions): Promise<AckInboxResponse> {
    const item_ids = [items].flat().map(({ item_id }) => item_id);
    return this.calls.ackInbox({ item_ids }, options);
  }

  /**
   * Handles what waits for this name, and what arrives, until the signal is aborted: up to `concurrency` items at once,
   * those of one channel in order, one after the other.
   *
   * Promise: an item is acknowledged after `onItem` has succeeded, and handled again after a crash; `reply` answers it
   * once. If `onItem` fails with a temporary error of a call (`retryable`, or a 5xx), it is called again with backoff,
   * and only its channel waits. Every other error goes to `onError`, or without it ends the run and is thrown.
   */
  run({ concurrency, onItem, onError, ...options }: RunOptions): Promise<void> {
    const stop = new AbortController();
    const abort = () => stop.abort(options.signal?.reason);
    if (isAborted(options.signal)) abort();
    options.signal?.addEventListener("abort", abort, { once: true });
    const each = { ...options, signal: stop.signal };
    const run = new InboxRun({
      concurrency,
      onItem,
      onError,
      stop,
      reader: this.#reader(each),
      acknowledge: (item) => this.#acknowledge(item, each),
      backoff: this.#backoff,
      maxRetries: options.maxRetries ?? Number.POSITIVE_INFINITY,
    });
    return run.run().finally(() => options.signal?.removeEventListener("abort", abort));
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

  #retryForever<T>(call: (each: RequestOptions) => Promise<T>, options: RequestOptions): Promise<T | null> {
    return retryForever(call, options, this.#backoff);
  }

  #reader({ channel, kinds, reader, ...options }: InboxOptions): InboxReader {
    const query = { agent_name: this.name, channel_slug: channel, kinds: kinds?.join(","), reader };
    const read = (page: InboxQuery) =>
      this.#retryForever((each) => this.calls.inbox({ ...query, ...page }, each), options);
    return new InboxReader(read, options.signal);
  }

  /** Removes an item that was handled, even if aborted by now. */
  async #acknowledge({ item_id }: AgentItem, options: RequestOptions): Promise<void> {
    const ack = (each: RequestOptions) => this.calls.ackInbox({ item_ids: [item_id] }, { ...each, signal: undefined });
    await this.#retryForever(ack, options);
  }
}
