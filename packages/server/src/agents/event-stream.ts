import { SLOW_READER_BYTES } from "@parley/protocol/limits";
import type { AppContext } from "../context.ts";
import { AppError, errorBody } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import type { BusMessage } from "../realtime/broker.ts";
import type { Listening } from "../realtime/hub.ts";
import { frameOf } from "../realtime/publish.ts";
import { agentTopic, channelTopic } from "../realtime/topics.ts";
import { channelsOfAgent, watchAgentChannels } from "./agent-presence.ts";
import { type Missed, missedMentions, missedOf, type StreamPosition } from "./event-resume.ts";
import { recheckKey, watchKey } from "./keys.ts";
import { noteUse } from "./last-use.ts";
import { holdOpen } from "./streams.ts";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/** One channel on the stream. What arrives while what was missed is read waits in `early`. */
interface Subscription {
  listening: Listening;
  early: BusMessage[] | null;
  sentSeq: number;
}

/**
 * GET /api/agenthub/events: the frames of the channels an agent is logged in to and its mentions, as server-sent events (contract,
 * sections 8 and 11). It follows logins and logouts while it is open, and ends with the key, with the server, or with a reader more
 * than 1 MiB behind, who resumes by `Last-Event-ID`.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #ctx: AppContext;
  readonly #caller: AgentIdentity;
  readonly #channels = new Map<number, Subscription>();
  readonly #stops: (() => void)[] = [];
  readonly #encoder = new TextEncoder();
  #out: ReadableStreamDefaultController<Uint8Array> | null = null;
  #ended = false;

  /** `too_many_sockets`, `draining`. */
  constructor(ctx: AppContext, caller: AgentIdentity, from: StreamPosition | null) {
    this.#ctx = ctx;
    this.#caller = caller;
    this.#stops.push(holdOpen(ctx, caller.agentId, () => this.#drain()));
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#out = controller;
          this.#begin(from);
        },
        cancel: () => this.#stop(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: SLOW_READER_BYTES }),
    );
  }

  #begin(from: StreamPosition | null): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    const { agentId, keyId } = this.#caller;
    const mentions = this.#ctx.hub.listen(agentTopic(agentId), (messages) => {
      for (const message of messages) this.#send(message.frame);
    });
    const beat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    beat.unref();
    this.#stops.push(
      mentions,
      () => clearInterval(beat),
      watchKey(this.#ctx, keyId, () => this.#recheck()),
      watchAgentChannels(this.#ctx, agentId, () => this.#follow(null)),
    );
    this.#follow(from);
    if (from !== null) this.#guarded(this.#resumeMentions(from, mentions));
  }

  /** Subscribes to the channels the agent is logged in to by now, and to no others. */
  #follow(from: StreamPosition | null): void {
    const wanted = new Set(channelsOfAgent(this.#ctx, this.#caller.agentId));
    for (const [channelId, subscription] of this.#channels) {
      if (wanted.has(channelId)) continue;
      subscription.listening();
      this.#channels.delete(channelId);
    }
    for (const channelId of wanted) if (!this.#channels.has(channelId)) this.#subscribe(channelId, from);
  }

  #subscribe(channelId: number, from: StreamPosition | null): void {
    const listening = this.#ctx.hub.listen(channelTopic(channelId), (messages) =>
      this.#receive(subscription, messages),
    );
    const subscription: Subscription = { listening, early: from === null ? null : [], sentSeq: -1 };
    this.#channels.set(channelId, subscription);
    if (from !== null) this.#guarded(this.#resumeChannel(channelId, subscription, from));
  }

  async #resumeChannel(channelId: number, subscription: Subscription, from: StreamPosition): Promise<void> {
    await subscription.listening.ready;
    const missed = await missedOf(this.#ctx, this.#caller, channelId, from);
    for (const frame of framesOf(channelId, missed)) this.#send(frame, subscription);
    const early = subscription.early ?? [];
    subscription.early = null;
    this.#receive(subscription, early);
  }

  async #resumeMentions(from: StreamPosition, mentions: Listening): Promise<void> {
    await mentions.ready;
    for (const frame of await missedMentions(this.#ctx, this.#caller, from)) this.#send(frame);
  }

  #receive(subscription: Subscription, messages: readonly BusMessage[]): void {
    if (subscription.early !== null) {
      subscription.early.push(...messages);
      return;
    }
    for (const message of messages) {
      if (message.seq === undefined || message.seq > subscription.sentSeq) this.#send(message.frame, subscription);
    }
  }

  /** A frame `{event, data}` as a server-sent event. Frames are JSON, so they have no line breaks. */
  #send(frame: string, subscription?: Subscription): void {
    const { event, data } = JSON.parse(frame) as { event: string; data: StreamData };
    const seq = data.seq ?? data.chat_message?.seq;
    const durable = data.channel_id !== undefined && seq !== undefined;
    if (durable && subscription !== undefined) subscription.sentSeq = Math.max(subscription.sentSeq, seq);
    const id = durable ? `id: ${data.channel_id}:${seq}\n` : "";
    this.#write(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`);
  }

  #beat(): void {
    noteUse(this.#ctx, this.#caller.keyId, this.#caller.agentId);
    this.#write(": heartbeat\n\n");
    this.#recheck();
  }

  #recheck(): void {
    recheckKey(this.#ctx, this.#caller).catch((error: unknown) => {
      if (!(error instanceof AppError)) return;
      this.#send(frameOf("stream:end", JSON.stringify(errorBody(error))));
      this.#close();
    });
  }

  #drain(): void {
    this.#send(frameOf("server:draining", "{}"));
    this.#close();
  }

  #guarded(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#ctx.log.warn({ err: error }, "an event stream could not be resumed");
      // The client comes back with the same Last-Event-ID.
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
    for (const { listening } of this.#channels.values()) listening();
    this.#channels.clear();
    for (const stop of this.#stops.splice(0)) stop();
  }
}

interface StreamData {
  channel_id?: number;
  seq?: number;
  chat_message?: { seq?: number };
}

function framesOf(channelId: number, missed: Missed): string[] {
  if ("frames" in missed) return missed.frames;
  return [frameOf("channel:reset", `{"channel_id":${channelId},"seq":${missed.lost},"recovered":false}`)];
}
