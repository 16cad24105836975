import { SLOW_READER_BYTES } from "@parley/protocol/limits";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { watchAgentChannels } from "../../channels/members/agents-online.ts";
import type { AppContext } from "../../context.ts";
import { AppError, errorBody } from "../../errors.ts";
import { channelFeed, freshFeed } from "../../event-log/feed/feed.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { agentFrames, ITEM_EVENT, itemIdOf, MENTION_EVENT } from "../../messages/inbox/item-frames.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { trustOf } from "../../realtime/control/trust.ts";
import { frameOf, frameParts } from "../../realtime/frame-text.ts";
import type { Listening } from "../../realtime/hub.ts";
import { agentTopic, channelTopic } from "../../realtime/topics.ts";
import { watchKey } from "../keys/key-cache.ts";
import { recheckKey } from "../keys/keys.ts";
import { noteUse } from "../keys/last-use.ts";
import { type Missed, missedItems, missedOf } from "./event-resume.ts";
import { isForPeople } from "./for-people.ts";
import { channelsHeard, heard } from "./in-scope.ts";
import { holdOpen } from "./open-stream-limits.ts";
import { SentItems } from "./sent-items.ts";
import { guardAgainstDoubt } from "./stream-doubt.ts";
import { SentPosition, type StreamPosition } from "./stream-position.ts";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/** One channel on the stream. `early` buffers events that arrive before the resume point is known. */
interface Subscription {
  channelId: number;
  listening: Listening;
  /** Until then the channel's online list is being read. */
  held: MaybePromise<void>;
  early: BrokerMessage[] | null;
  sentSeq: number;
}

/**
 * GET /api/agenthub/events: the frames of the channels an agent is logged in to and of its inbox, as server-sent events
 * (protocol §5, §8). It follows logins and logouts while it is open. It ends with the key, with the server, or when the
 * reader is more than 1 MiB behind; the reader then resumes by `Last-Event-ID`.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #ctx: AppContext;
  readonly #caller: AgentIdentity;
  readonly #channels = new Map<number, Subscription>();
  readonly #sent: SentPosition;
  /** On a node of a cluster: the last items sent. */
  readonly #items = new SentItems();
  readonly #stops: (() => void)[] = [];
  readonly #encoder = new TextEncoder();
  #out: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Resolves when the client has read something, and at the end. */
  #read = Promise.withResolvers<void>();
  #ended = false;

  /** Errors: `too_many_sockets`, `draining`. */
  constructor(ctx: AppContext, caller: AgentIdentity, from: StreamPosition | null) {
    this.#ctx = ctx;
    this.#caller = caller;
    this.#sent = new SentPosition(ctx, from);
    this.#stops.push(holdOpen(ctx, caller.agentId, (ms) => this.#end("server:draining", { retry_within_ms: ms })));
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#out = controller;
          this.#begin(from);
        },
        pull: () => this.#noteRead(),
        cancel: () => this.#stop(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: SLOW_READER_BYTES }),
    );
  }

  #begin(from: StreamPosition | null): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    const { agentId, keyId } = this.#caller;
    const inbox = this.#ctx.hub.listen(agentTopic(agentId), (messages) => {
      for (const { event, frame } of heard(this.#caller, messages)) {
        if (event !== MENTION_EVENT && event !== ITEM_EVENT) this.#send(frame, false);
        else if (!this.#sent.isHeld || !this.#items.has(frame)) this.#sendItem(event, frame);
        // A node of the release before published it without its id.
        if (event === MENTION_EVENT && itemIdOf(frame) === null)
          this.#guarded(this.#sendItemsSince({ ...this.#sent.now, seqs: new Map() }));
      }
    });
    const beat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    this.#stops.push(
      inbox,
      () => clearInterval(beat),
      watchKey(this.#ctx, keyId, () => this.#recheck()),
      watchAgentChannels(this.#ctx, agentId, () => this.#refollow()),
      guardAgainstDoubt(this.#ctx, {
        topics: () => [agentTopic(agentId), ...[...this.#channels.keys()].map(channelTopic)],
        hold: (at) => this.#sent.hold(at),
        reread: (isOver) => this.#reread(isOver),
        release: () => this.#release(),
      }),
    );
    // The key was checked before this stream watched it, so a change in between went unnoticed.
    void this.#recheck();
    this.#guarded(this.#catchUp(from, inbox, this.#follow()));
  }

  /** Starts the channels the agent logs in to while the stream is open. */
  #refollow(): void {
    for (const subscription of this.#follow())
      this.#guarded(this.#start(subscription, null).then(() => this.#tellPosition()));
  }

  /** Subscribes to exactly the channels the agent is now logged in to. Returns the new subscriptions. */
  #follow(): Subscription[] {
    const wanted = channelsHeard(this.#ctx, this.#caller);
    for (const [channelId, subscription] of this.#channels) {
      if (wanted.has(channelId)) continue;
      this.#unsubscribe(subscription);
      this.#channels.delete(channelId);
    }
    this.#sent.keep(wanted);
    return [...wanted].filter((channelId) => !this.#channels.has(channelId)).map((id) => this.#subscribe(id));
  }

  #subscribe(channelId: number): Subscription {
    const listening = this.#ctx.hub.listen(channelTopic(channelId), (messages) =>
      this.#receive(subscription, messages),
    );
    const held = this.#ctx.presence.hold(channelId);
    const subscription: Subscription = { channelId, listening, held, early: [], sentSeq: -1 };
    this.#channels.set(channelId, subscription);
    return subscription;
  }

  #unsubscribe({ channelId, listening }: Subscription): void {
    listening();
    this.#ctx.presence.release(channelId);
  }

  /** Sends items first: `missedItems` relies on it. */
  async #catchUp(from: StreamPosition | null, inbox: Listening, channels: Subscription[]): Promise<void> {
    if (from !== null) {
      await inbox.ready;
      await this.#sendItemsSince(from);
    }
    await Promise.all(channels.map((subscription) => this.#start(subscription, from)));
    this.#sent.caughtUp();
    this.#tellPosition();
  }

  /** Sends the items that the broker has lost. If nothing can be lost any more, its channels catch up first. */
  async #reread(isOver: boolean): Promise<void> {
    // The feeds pass on what was missed, also to this stream.
    if (isOver) await Promise.all([...this.#channels.keys()].map((id) => freshFeed(this.#ctx, id)));
    await this.#sendItemsSince(this.#sent.now);
  }

  async #sendItemsSince(from: StreamPosition): Promise<void> {
    for await (const frames of missedItems(this.#ctx, this.#caller, from)) {
      await trustOf(this.#ctx)?.good();
      for (const frame of frames) if (!this.#items.has(frame)) this.#sendItem(frameParts(frame).event, frame);
      await this.#roomForMore();
    }
  }

  /**
   * Waits until the client has read most of what it was sent. A stream that ended because its reader was too slow would
   * begin with the same items when it resumes.
   */
  async #roomForMore(): Promise<void> {
    while (!this.#ended && (this.#out?.desiredSize ?? 0) < SLOW_READER_BYTES / 2) await this.#read.promise;
  }

  #noteRead(): void {
    this.#read.resolve();
    this.#read = Promise.withResolvers();
  }

  #release(): void {
    this.#sent.release();
    this.#tellPosition();
  }

  #sendItem(event: string, frame: string): void {
    if (this.#ctx.cluster !== null) this.#items.add(frame);
    for (const each of agentFrames(event, frame)) this.#send(each, true);
  }

  /** Sends what was missed of a channel, then forwards new events. */
  async #start(subscription: Subscription, from: StreamPosition | null): Promise<void> {
    const { channelId, listening, held } = subscription;
    await Promise.all([listening.ready, held]);
    const missed = from === null ? null : await missedOf(this.#ctx, this.#caller, channelId, from);
    const lastSeq = missed?.lastSeq ?? (await channelFeed(this.#ctx, channelId)).lastSeq;
    await trustOf(this.#ctx)?.good();
    // The agent has logged out in the meantime.
    if (this.#channels.get(channelId) !== subscription) return;
    const early = subscription.early ?? [];
    if (missed !== null) this.#sendMissed(subscription, missed);
    const firstEarly = missed === null ? early.find(({ seq }) => seq !== undefined)?.seq : undefined;
    this.#note(subscription, firstEarly === undefined ? lastSeq : firstEarly - 1);
    subscription.early = null;
    this.#receive(subscription, early);
  }

  #receive(subscription: Subscription, messages: readonly BrokerMessage[]): void {
    if (subscription.early !== null) {
      subscription.early.push(...messages);
      return;
    }
    for (const { event, seq, frame } of messages) {
      if (seq === undefined && !isForPeople(event)) this.#send(frame, false);
      else if (seq !== undefined && seq > subscription.sentSeq) this.#sendDurable(subscription, seq, frame);
    }
  }

  #sendMissed(subscription: Subscription, { frames, lastSeq, isExtended }: Missed): void {
    const reset = { channel_id: subscription.channelId, seq: lastSeq, recovered: false };
    const why = isExtended ? { ...reset, history_extended: true } : reset;
    const sent = frames ?? [frameOf("channel:reset", JSON.stringify(why))];
    let seq = lastSeq - sent.length;
    for (const frame of sent) this.#sendDurable(subscription, ++seq, frame);
  }

  #sendDurable(subscription: Subscription, seq: number, frame: string): void {
    this.#note(subscription, seq);
    this.#send(frame, true);
  }

  /**
   * Sends a frame as a server-sent event, with an id where the stream can resume from it. Frames are JSON, so they have
   * no line breaks.
   */
  #send(frame: string, hasId: boolean): void {
    const { event, dataJson } = frameParts(frame);
    const id = hasId ? `id: ${this.#sent}\n` : "";
    this.#write(`event: ${event}\n${id}data: ${dataJson}\n\n`);
  }

  /**
   * Sends an id without an event: a client that receives nothing more before the stream breaks resumes from it and has
   * missed nothing.
   */
  #tellPosition(): void {
    this.#write(`id: ${this.#sent}\n\n`);
  }

  #note(subscription: Subscription, seq: number): void {
    subscription.sentSeq = Math.max(subscription.sentSeq, seq);
    this.#sent.set(subscription.channelId, subscription.sentSeq);
  }

  #beat(): void {
    noteUse(this.#ctx, this.#caller.keyId, this.#caller.agentId);
    this.#write(": heartbeat\n\n");
    void this.#recheck();
  }

  async #recheck(): Promise<void> {
    try {
      await recheckKey(this.#ctx, this.#caller);
    } catch (error) {
      if (!(error instanceof AppError)) return;
      this.#end("stream:end", errorBody(error));
    }
  }

  #end(event: string, data: object): void {
    this.#send(frameOf(event, JSON.stringify(data)), false);
    this.#close();
  }

  #guarded(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#ctx.log.warn({ err: error }, "resuming an event stream failed");
      // The client reconnects with the same Last-Event-ID.
      this.#close();
    });
  }

  #write(text: string): void {
    if (this.#ended || this.#out === null) return;
    this.#out.enqueue(this.#encoder.encode(text));
    if ((this.#out.desiredSize ?? 0) < 0) this.#close();
  }

  #close(): void {
    if (this.#ended) return;
    this.#stop();
    this.#out?.close();
  }

  #stop(): void {
    this.#ended = true;
    this.#noteRead();
    for (const subscription of this.#channels.values()) this.#unsubscribe(subscription);
    this.#channels.clear();
    for (const stop of this.#stops.splice(0)) stop();
  }
}
