import { type AppContext, perServer } from "../context.ts";
import type { BusMessage, BusRecord } from "../realtime/broker.ts";
import { onControl } from "../realtime/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { busRecord, loadEvents } from "./events.ts";
import type { HistoryPage } from "./history.service.ts";
import { channelState, messagesBefore } from "./messages.store.ts";
import { recordJson } from "./record.ts";

/** Messages a channel keeps in memory. */
export const TAIL_MAX = 200;
/** Durable frames kept for resuming sockets. */
const FRAMES_MAX = 256;
/** Channels kept without a local listener. */
const FEEDS_MAX = 1_000;

/**
 * What this node knows of one channel: the last number, the newest messages as JSON, the newest frames.
 *
 * Promise: what it passes on to the hub is in order of `seq`, without gaps or doubles, whatever order the bus delivers in. A gap is filled
 * from the database before anything later passes.
 */
export class ChannelFeed {
  readonly channelId: number;
  lastSeq = -1;
  /** Ready for a page, oldest first. */
  readonly messages: BusRecord[] = [];
  /** Are there messages older than the tail? */
  hasOlder = false;
  /** The newest page as it was last asked for, until something changes. */
  newestPage: HistoryPage | undefined;
  /** Why the channel could not be read; such a feed is thrown away. */
  failure: unknown;
  readonly #ctx: AppContext;
  readonly #frames: { seq: number; event: string; messageId: number | undefined; frame: string }[] = [];
  #early: BusMessage[] = [];
  #busy: Promise<void> | undefined;

  constructor(ctx: AppContext, channelId: number) {
    this.#ctx = ctx;
    this.channelId = channelId;
    this.#occupy(this.#load());
  }

  /** Reads anew what is kept, when something up to that number was rewritten without an event. */
  rewritten(upTo: number): void {
    if (this.#busy !== undefined) void this.#busy.then(() => this.rewritten(upTo));
    else if (this.failure === undefined && upTo >= this.#oldestSeq()) this.#occupy(this.#reload());
  }

  async #reload(): Promise<void> {
    const state = await channelState(this.#ctx.db, this.channelId);
    await this.#readTail(state?.slug ?? "");
  }

  #oldestSeq(): number {
    return Math.min(this.messages[0]?.seq ?? this.lastSeq, this.#frames[0]?.seq ?? this.lastSeq);
  }

  /** Loaded and without an open gap? */
  get isReady(): boolean {
    return this.#busy === undefined;
  }

  /** Resolves when what was committed before this call is in; rejects when the database could not be read. */
  async ready(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
    if (this.failure !== undefined) throw this.failure;
  }

  accept(messages: readonly BusMessage[]): void {
    if (this.failure !== undefined) return;
    if (this.#busy !== undefined) {
      this.#early.push(...messages);
      return;
    }
    const passing: BusMessage[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.seq === undefined) passing.push(message);
      else if (message.seq === this.lastSeq + 1) {
        this.#take(message);
        passing.push(message);
      } else if (message.seq > this.lastSeq) {
        this.#early.push(...messages.slice(index));
        this.#occupy(this.#fill());
        break;
      }
    }
    if (passing.length > 0) this.#ctx.hub.deliver(channelTopic(this.channelId), passing);
  }

  /** The frames after `seq`, if memory holds them all. */
  framesAfter(seq: number): string[] | null {
    if (seq === this.lastSeq) return [];
    const first = this.#frames[0];
    if (first === undefined || seq > this.lastSeq || seq + 1 < first.seq) return null;
    return this.#frames.slice(seq + 1 - first.seq).map(({ frame }) => frame);
  }

  #take(message: BusMessage): void {
    if (message.seq === undefined) return;
    this.lastSeq = message.seq;
    this.newestPage = undefined;
    if (message.message !== undefined) this.#keep(message.event, message.message);
    else if (message.event === "channel:update") this.#rename(message.frame);
    this.#frames.push({ seq: message.seq, event: message.event, messageId: message.message?.id, frame: message.frame });
    if (this.#frames.length > FRAMES_MAX) this.#frames.shift();
  }

  #keep(event: string, message: BusRecord): void {
    if (event === "message:new") {
      this.messages.push(message);
      if (this.messages.length > TAIL_MAX) {
        this.messages.shift();
        this.hasOlder = true;
      }
      return;
    }
    const at = this.messages.findIndex(({ id }) => id === message.id);
    if (at !== -1) this.messages[at] = message;
    // A frame that still holds the text of before would bring back what was edited away or deleted: the database rebuilds those.
    if (event === "message:update" || event === "message:delete") this.#dropFramesUpTo(message.id);
  }

  /** Records name their channel's slug: when that changes, so do the records in memory. */
  #rename(frame: string): void {
    const { data } = JSON.parse(frame) as { data: { channel: { channel_slug: string } } };
    const slug = `"channel_slug":"${data.channel.channel_slug}"`;
    for (const [at, message] of this.messages.entries()) {
      // The first match is the record's own: it stands before any text of people.
      this.messages[at] = { ...message, json: message.json.replace(/"channel_slug":"[a-z0-9-]*"/, slug) };
    }
    this.#frames.length = 0;
  }

  #dropFramesUpTo(messageId: number): void {
    const last = this.#frames.findLastIndex((frame) => frame.messageId === messageId);
    if (last !== -1) this.#frames.splice(0, last + 1);
  }

  async #load(): Promise<void> {
    const topic = channelTopic(this.channelId);
    await this.#ctx.hub.retain(topic);
    const state = await channelState(this.#ctx.db, this.channelId);
    this.lastSeq = state?.last_seq ?? 0;
    await this.#readTail(state?.slug ?? "");
  }

  /** The newest messages up to `lastSeq`; the frames of before are forgotten. */
  async #readTail(slug: string): Promise<void> {
    const rows = await messagesBefore(this.#ctx.db, this.channelId, this.lastSeq + 1, TAIL_MAX + 1);
    const tail = rows.slice(0, TAIL_MAX).reverse();
    this.messages.splice(0, this.messages.length, ...tail.map((row) => busRecord(row, recordJson(row, slug))));
    this.hasOlder = rows.length > TAIL_MAX;
    this.newestPage = undefined;
    this.#frames.length = 0;
  }

  /** Holds what arrives until the work is done, then takes it up. */
  #occupy(work: Promise<void>): void {
    this.#busy = work
      .catch((error: unknown) => {
        this.failure = error;
        this.#ctx.log.error({ err: error, channelId: this.channelId }, "a channel's feed could not be read");
      })
      .finally(() => {
        this.#busy = undefined;
        const early = this.#early;
        this.#early = [];
        if (early.length > 0) this.accept(early);
      });
  }

  /** Fetches what the bus lost or has yet to bring, and passes it on in order. */
  async #fill(): Promise<void> {
    const missing = await loadEvents(this.#ctx, this.channelId, this.lastSeq, FRAMES_MAX);
    const passing: BusMessage[] = [];
    for (const message of missing) {
      if (message.seq !== this.lastSeq + 1) break;
      this.#take(message);
      passing.push(message);
    }
    if (passing.length === 0)
      throw new Error(`Channel ${this.channelId} has no event ${this.lastSeq + 1}, but later ones.`);
    this.#ctx.hub.deliver(channelTopic(this.channelId), passing);
  }

  close(): void {
    this.#ctx.hub.release(channelTopic(this.channelId));
  }
}

/** The feeds of this node, least recently used first. */
class Feeds {
  readonly #ctx: AppContext;
  readonly #feeds = new Map<number, ChannelFeed>();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  get(channelId: number): ChannelFeed {
    const found = this.#feeds.get(channelId);
    if (found !== undefined && found.failure === undefined) return found;
    found?.close();
    const made = new ChannelFeed(this.#ctx, channelId);
    this.#feeds.set(channelId, made);
    if (this.#feeds.size > FEEDS_MAX) this.#evict();
    return made;
  }

  peek(channelId: number): ChannelFeed | undefined {
    return this.#feeds.get(channelId);
  }

  /** Forgets the oldest channel nobody here listens to. */
  #evict(): void {
    for (const [channelId, feed] of this.#feeds) {
      if (!feed.isReady || this.#ctx.hub.holders(channelTopic(channelId)) > 1) continue;
      feed.close();
      this.#feeds.delete(channelId);
      return;
    }
  }
}

const feeds = perServer((ctx) => {
  const made = new Feeds(ctx);
  onControl(ctx, "history_rewritten", (subject) => {
    const [channelId = 0, seq = 0] = subject.split(":").map(Number);
    made.peek(channelId)?.rewritten(seq);
  });
  return made;
});

/** The channel's feed, loaded. Sync when it is in memory. */
export function channelFeed(ctx: AppContext, channelId: number): ChannelFeed | Promise<ChannelFeed> {
  const feed = feeds(ctx).get(channelId);
  return feed.isReady ? feed : feed.ready().then(() => feed);
}

/** The number of the channel's last durable event. */
export function lastSeq(ctx: AppContext, channelId: number): number | Promise<number> {
  const feed = channelFeed(ctx, channelId);
  return feed instanceof ChannelFeed ? feed.lastSeq : feed.then((loaded) => loaded.lastSeq);
}

/** The bus's messages for channel topics come through here on their way to the hub; others go straight. */
export function receive(ctx: AppContext, topic: string, messages: readonly BusMessage[]): void {
  const feed = topic.startsWith("c:") ? feeds(ctx).peek(Number(topic.slice(2))) : undefined;
  if (feed === undefined) ctx.hub.deliver(topic, messages);
  else feed.accept(messages);
}
