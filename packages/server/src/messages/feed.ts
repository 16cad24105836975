import { type AppContext, perServer } from "../context.ts";
import type { BusMessage } from "../realtime/broker.ts";
import { onControl } from "../realtime/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { repeat } from "../repeat.ts";
import { ChannelFeed, MissingEvent } from "./channel-feed.ts";

/** Channels kept without a local listener. */
const FEEDS_MAX = 1_000;
/** How soon a channel that could not be read is read again for those who listen. */
const AGAIN_MS = 1_000;

/** The feeds of this node, least recently used first. */
class Feeds {
  readonly #ctx: AppContext;
  readonly #feeds = new Map<number, ChannelFeed>();
  /** Channels that may have events nobody was told of. */
  readonly #doubtful = new Set<number>();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  get(channelId: number): ChannelFeed {
    const found = this.#feeds.get(channelId);
    if (found !== undefined && found.failure === undefined) return found;
    found?.close();
    const after = found?.failure instanceof MissingEvent ? -1 : found?.lastSeq;
    const made = new ChannelFeed(this.#ctx, channelId, after);
    this.#feeds.set(channelId, made);
    if (this.#feeds.size > FEEDS_MAX) this.#evict();
    return made;
  }

  peek(channelId: number): ChannelFeed | undefined {
    return this.#feeds.get(channelId);
  }

  doubt(channelId: number): void {
    this.#doubtful.add(channelId);
  }

  /** Reads again what could not be read, where somebody here listens, and what is in doubt: by now the database may know. */
  revive(): void {
    for (const channelId of this.#doubtful) this.peek(channelId)?.recheck();
    this.#doubtful.clear();
    for (const [channelId, { failure }] of this.#feeds) {
      if (failure !== undefined && this.#ctx.hub.holders(channelTopic(channelId)) > 1) this.get(channelId);
    }
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
  onControl(ctx, "events_in_doubt", (channelId) => made.doubt(Number(channelId)));
  repeat(ctx, AGAIN_MS, "a channel's feed could not be read again", async () => made.revive());
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
