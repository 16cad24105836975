import type { ChannelJoinAck } from "@parley/protocol/command-data";
import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { CommandName } from "@parley/protocol/realtime";
import { ParleyError } from "../../src/errors.ts";
import { Listeners } from "../../src/realtime/listeners.ts";
import type { Answer } from "../../src/realtime/pending-commands.ts";
import type { RealtimeEvent, RealtimeState } from "../../src/realtime/realtime-types.ts";
import type { ChannelEvent } from "../../src/realtime/subscription-types.ts";

const CHANNEL = 7;
/** Replays at most this many events on resume; the real server's 1,000 would hide the paging. */
const RESUME_MAX = 3;
const PAGE = 2;

/** A model of the promises of protocol §8: a server with one channel, driven by hand; nothing happens by itself. */
export class ModelServer {
  readonly log: ChannelEvent[] = [];
  readonly #events = new Listeners<RealtimeEvent>();
  readonly #states = new Listeners<RealtimeState>();
  /** In transit to the client, in order. */
  #wire: (() => void)[] = [];
  #questions: (() => void)[] = [];
  #isSubscribed = false;
  state: RealtimeState = "live";
  readonly error = null;
  readonly onError = undefined;
  joins = 0;

  onEvent = (listener: (event: RealtimeEvent) => void) => this.#events.add(listener);
  onState = (listener: (state: RealtimeState) => void) => this.#states.add(listener);

  /** Handles the socket's command: its effect is immediate, the answer is delayed. */
  ask = (event: CommandName, data: unknown, answered: (answer: Answer) => void): void => {
    if (event !== "channel:join") return;
    this.joins += 1;
    const { after_seq } = data as { after_seq?: number };
    const last_seq = this.log.length;
    const missed = after_seq === undefined ? null : this.log.slice(after_seq);
    this.#isSubscribed = true;
    const resumed =
      missed === null ? {} : missed.length > RESUME_MAX ? { recovered: false } : { recovered: true, events: missed };
    const ack = { channel: { id: CHANNEL }, last_seq, epoch: "one", ...resumed } as unknown as ChannelJoinAck;
    this.#wire.push(() => answered({ event: "ack", data: ack }));
  };

  /** History over HTTP: read when it is answered, so it may be ahead of the socket. */
  history = (query: HistoryQuery): Promise<HistoryResponse> =>
    new Promise((resolve, reject) => {
      const answer = (fails: boolean) => {
        if (fails) return reject(new ParleyError("network_error", "The answer is lost."));
        const all = this.log.flatMap((event) => (event.event === "message:new" ? [event.data.chat_message] : []));
        const found =
          query.after_seq === undefined
            ? all.slice(-(query.limit ?? PAGE))
            : all.filter(({ seq }) => seq > (query.after_seq ?? 0));
        const messages = query.after_seq === undefined ? found : found.slice(0, PAGE);
        const next_after_seq = messages.at(-1)?.seq ?? query.after_seq ?? null;
        const has_more = found.length > messages.length;
        const page = { messages, has_more, next_after_seq, last_seq: this.log.length };
        resolve(page as unknown as HistoryResponse);
      };
      this.#questions.push(() => answer(this.#failsNext()));
    });

  #failing = 0;
  #failsNext(): boolean {
    if (this.#failing === 0) return false;
    this.#failing -= 1;
    return true;
  }

  /** Appends a durable event. It is pushed once, as the server promises, or (`times`) never or twice. */
  write(kind: "message" | "edit", times = 1): void {
    const seq = this.log.length + 1;
    const chat_message = { id: seq, seq, channel_id: CHANNEL, content: `${seq}` } as ChatMessage;
    const event = kind === "message" ? "message:new" : "message:update";
    const made: ChannelEvent = { event, data: { channel_id: CHANNEL, seq, chat_message } };
    this.log.push(made);
    if (!this.#isSubscribed) return;
    for (let n = 0; n < times; n++) this.#wire.push(() => this.#events.emit(made));
  }

  /** Delivers the next frame. */
  deliver(): void {
    this.#wire.shift()?.();
  }

  /** Answers the oldest request. */
  answer(): void {
    this.#questions.shift()?.();
  }

  failNextAnswer(): void {
    this.#failing += 1;
  }

  /** Breaks the socket: frames in transit are lost. */
  cut(): void {
    this.#wire = [];
    this.#isSubscribed = false;
    this.#set("waiting");
  }

  connect(): void {
    if (this.state !== "live") this.#set("live");
  }

  get isIdle(): boolean {
    return this.#wire.length === 0 && this.#questions.length === 0;
  }

  #set(state: RealtimeState): void {
    this.state = state;
    this.#states.emit(state);
  }
}
