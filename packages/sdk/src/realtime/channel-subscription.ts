import type { ChannelJoinAck, EventFrame } from "@parley/protocol/command-data";
import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import { BACKOFF, type Backoff, waitMs } from "../backoff.ts";
import { ParleyError } from "../errors.ts";
import { callHandler } from "./listeners.ts";
import type { Answer } from "./pending-commands.ts";
import type { RealtimeClient } from "./realtime-client.ts";
import type { RealtimeEvent } from "./realtime-types.ts";
import { channelRef, isTemporary, joinData } from "./subscription-join.ts";
import type { ChannelEvent, EphemeralEvent, Position, SubscribeOptions } from "./subscription-types.ts";

interface Dependencies {
  realtime: Pick<RealtimeClient, "state" | "error" | "onError" | "onEvent" | "onState" | "ask">;
  history(query: HistoryQuery): Promise<HistoryResponse>;
  /** The backoff after a failed join or history read. */
  backoff?: Backoff;
}

const PAGE = 200;

/**
 * A subscription to one channel that survives every disconnect.
 *
 * Promise: `onEvent` receives the channel's durable events in order of `seq`, without duplicates or gaps, across
 * disconnects, with two exceptions: after `onBackfill` the events of that range other than messages are omitted, and after
 * `onReset` everything starts again. Use one subscription per channel of a socket: a second one would replace the first at
 * the server.
 */
export class ChannelSubscription implements Disposable {
  readonly #dependencies: Dependencies;
  readonly #options: SubscribeOptions;
  readonly #stops: (() => void)[] = [];
  #channelId: number | null = null;
  #position: Position | null;
  /** Events pushed while history is being read; null when none is. */
  #held: ChannelEvent[] | null = null;
  /** Counts joins, to detect results of an earlier one. */
  #run = 0;
  /** True from a join's ack on. Earlier events are in the ack, or are read from history. */
  #isJoined = false;
  /** The channel's newest seq when it was joined. */
  #joinedSeq = 0;
  /** True if the channel was deleted. An administrator may restore it; then the subscription continues. */
  #isDeleted = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(dependencies: Dependencies, options: SubscribeOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#position = options.after ?? null;
    const { realtime } = dependencies;
    this.#stops.push(
      realtime.onEvent((event) => this.#receive(event)),
      realtime.onState(() => this.#stateChanged()),
    );
    if (realtime.state === "live") this.#join();
    else if (realtime.state === "ended") queueMicrotask(() => this.#stateChanged());
  }

  /** null before the first join. */
  get channelId(): number | null {
    return this.#channelId;
  }

  /** The seq up to which events were delivered; null before the first join. */
  get position(): Position | null {
    return this.#position;
  }

  /** Ends the subscription. */
  close(): void {
    if (this.#isOver) return;
    this.#stop();
    if (this.#dependencies.realtime.state !== "live") return;
    // An unanswered join is sent before it.
    this.#dependencies.realtime.ask(
      "channel:leave",
      channelRef(this.#options, this.#channelId),
      () => {},
      () => {},
    );
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #stateChanged(): void {
    const { realtime } = this.#dependencies;
    this.#pause();
    if (realtime.state === "live") this.#join();
    else if (realtime.error !== null) this.#end(realtime.error);
  }

  /** Invalidates the last join. */
  #pause(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#isJoined = false;
    this.#held = null;
  }

  #join(): void {
    if (this.#isOver) return;
    this.#pause();
    const run = this.#run;
    const data = joinData(this.#options, this.#channelId, this.#position);
    const answered = (answer: Answer) => {
      if (run !== this.#run) return;
      if (answer.event === "error") this.#fail(ParleyError.fromBody(answer.data));
      else this.#joined(answer.data as ChannelJoinAck);
    };
    this.#dependencies.realtime.ask("channel:join", data, answered, () => {});
  }

  /** Runs in the turn of the ack, so that no event pushed after it is missed. */
  #joined(ack: ChannelJoinAck): void {
    this.#channelId = ack.channel.id;
    this.#isJoined = true;
    this.#isDeleted = false;
    this.#joinedSeq = ack.last_seq;
    const from = this.#position;
    if (from !== null && (from.epoch !== ack.epoch || from.seq > ack.last_seq || ack.history_extended === true))
      this.#forgetPosition();
    this.#call(() => this.#options.onJoined?.(ack));
    if (this.#isOver) return;
    if (this.#position === null) void this.#read(() => this.#begin(ack));
    else if (ack.recovered === true) this.#resumed(ack.events ?? []);
    else void this.#read((run) => this.#page(ack, run));
  }

  #forgetPosition(): void {
    this.#position = null;
    this.#call(() => this.#options.onReset?.());
  }

  #resumed(events: readonly EventFrame[]): void {
    this.#failures = 0;
    for (const event of events) this.#take(event as ChannelEvent);
  }

  #receive(event: RealtimeEvent): void {
    if (event.event === "channel:added" && event.data.channel.id === this.#channelId && this.#isDeleted) this.#join();
    if (!("channel_id" in event.data) || event.data.channel_id !== this.#channelId) return;
    if ("seq" in event.data) {
      if (this.#held === null) this.#take(event as ChannelEvent);
      else this.#held.push(event as ChannelEvent);
      return;
    }
    this.#call(() => this.#options.onEphemeral?.(event as EphemeralEvent));
    if (event.event !== "access:ended") return;
    const { data } = event;
    if (data.reason === "deleted") this.#lose();
    else this.#end(new ParleyError("access_ended", `Access to the channel ended: ${data.reason}.`, { details: data }));
  }

  #take(event: ChannelEvent): void {
    const { seq } = event.data;
    // After a gap the rest arrives with the next join.
    if (!this.#isJoined || this.#position === null || seq <= this.#position.seq) return;
    // The messages for which it stands are not new: nobody may take them for what was just sent.
    if (event.event === "history:extended") {
      this.#forgetPosition();
      if (!this.#isOver) this.#join();
      return;
    }
    if (seq > this.#position.seq + 1) {
      this.#join();
      return;
    }
    this.#hand(event);
    if (event.event === "channel:deleted" && seq > this.#joinedSeq) this.#lose();
  }

  /** Waits for the channel to be restored: for its event, or for the next connection, whose join succeeds then. */
  #lose(): void {
    this.#pause();
    this.#isDeleted = true;
  }

  #hand(event: ChannelEvent): void {
    if (this.#isOver) return;
    if (this.#position !== null) this.#position = { ...this.#position, seq: event.data.seq };
    this.#call(() => this.#options.onEvent(event));
  }

  /** Buffers pushed events until `act` has read the history, then delivers them. */
  async #read(act: (run: number) => Promise<void>): Promise<void> {
    const run = this.#run;
    this.#held = [];
    try {
      await act(run);
    } catch (error) {
      if (run === this.#run) this.#fail(error);
      return;
    }
    if (run !== this.#run) return;
    const held = this.#held;
    this.#held = null;
    this.#failures = 0;
    for (const event of held) this.#take(event);
  }

  /** On the first join: reads the newest messages up to the start of the subscription. */
  async #begin(ack: ChannelJoinAck): Promise<void> {
    const run = this.#run;
    const limit = Math.min(this.#options.backlog ?? 0, PAGE);
    const page = limit > 0 ? await this.#dependencies.history({ channel_id: ack.channel.id, limit }) : null;
    if (run !== this.#run) return;
    this.#position = { seq: 0, epoch: ack.epoch };
    this.#handAll(page?.messages ?? [], ack.last_seq);
    this.#position = { seq: ack.last_seq, epoch: ack.epoch };
    this.#call(() => this.#options.onReady?.({ hasOlder: page?.has_more ?? ack.last_seq > 0 }));
  }

  /** Reads the messages between the position and the start of the subscription. */
  async #page(ack: ChannelJoinAck, run: number): Promise<void> {
    const upToSeq = ack.last_seq;
    let afterSeq = this.#position?.seq ?? 0;
    this.#call(() => this.#options.onBackfill?.({ afterSeq, upToSeq }));
    for (let more = true; more && afterSeq < upToSeq; ) {
      const page = await this.#dependencies.history({ channel_id: ack.channel.id, after_seq: afterSeq, limit: PAGE });
      if (run !== this.#run) return;
      this.#handAll(page.messages, upToSeq);
      afterSeq = page.next_after_seq ?? upToSeq;
      more = page.has_more;
    }
    this.#position = { seq: upToSeq, epoch: ack.epoch };
  }

  /** The subscription delivers what is newer than its start. */
  #handAll(messages: readonly ChatMessage[], upToSeq: number): void {
    for (const chat_message of messages) {
      const { channel_id, seq } = chat_message;
      if (seq > (this.#position?.seq ?? 0) && seq <= upToSeq) {
        this.#hand({ event: "message:new", data: { channel_id, seq, chat_message } });
      }
    }
  }

  /** Joins again later, if that can help. */
  #fail(cause: unknown): void {
    const error = cause instanceof ParleyError ? cause : new ParleyError("invalid_answer", String(cause), { cause });
    if (this.#isDeleted && error.code === "channel_not_found") return;
    if (!isTemporary(error)) {
      this.#end(error);
      return;
    }
    this.#pause();
    const wait = Math.max(
      (error.retryAfter ?? 0) * 1_000,
      waitMs(this.#failures, this.#dependencies.backoff ?? BACKOFF, Math.random()),
    );
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      if (this.#dependencies.realtime.state === "live") this.#join();
    }, wait);
  }

  #call(handler: () => unknown): void {
    const { onError } = this.#options;
    callHandler(handler, onError === undefined ? this.#dependencies.realtime.onError : (error) => onError(error));
  }

  #end(error: ParleyError): void {
    if (this.#isOver) return;
    this.#stop();
    this.#call(() => this.#options.onClose?.(error));
  }

  #stop(): void {
    this.#isOver = true;
    this.#pause();
    for (const stop of this.#stops.splice(0)) stop();
  }
}
