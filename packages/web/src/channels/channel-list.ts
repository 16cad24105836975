import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { ChannelFacts, ChannelRecord, JoinedChannel } from "@parley/protocol/records";
import type { ParleyClient } from "@parley/sdk/client";
import type { FeedEvent } from "@parley/sdk/feed-types";
import type { LiveEvent } from "@parley/sdk/live-types";
import { oncePerFrame } from "../app/frames.ts";
import { Store } from "../app/store.ts";

export interface ChannelsView {
  state: "loading" | "ready" | "failed";
  channels: readonly ChannelRecord[];
}

/** The channels one can see, with what is unread in them, kept up to date by events. */
export class ChannelList {
  readonly view = new Store<ChannelsView>({ state: "loading", channels: [] });
  /** What is known. `view` shows it: at once, but what is only counted with the next picture, however much comes. */
  #known: ChannelsView = this.view.get();
  /** Channels in which one was named and has not looked since. */
  readonly mentioned = new Store<ReadonlySet<number>>(new Set());
  readonly #client: ParleyClient;
  /** Which events were counted as unread, by channel, since the list was read or the channel was. */
  readonly #counted = new Map<number, number[]>();
  #run = 0;

  constructor(client: ParleyClient) {
    this.#client = client;
  }

  find(channelId: number): ChannelRecord | undefined {
    return this.#known.channels.find(({ id }) => id === channelId);
  }

  bySlug(slug: string): ChannelRecord | undefined {
    return this.view.get().channels.find(({ channel_slug }) => channel_slug === slug.toLowerCase());
  }

  /** Reads the list; what another reading brings later is the newer one. */
  async load(): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    try {
      const { channels } = await this.#client.channels.list();
      if (run === this.#run) this.#set({ state: "ready", channels: channels.map((each) => this.#newer(each)) });
    } catch {
      if (run === this.#run && this.#known.state !== "ready") this.#set({ state: "failed", channels: [] });
    }
  }

  /** Puts a channel in, or in the place of what it was. */
  put(channel: ChannelRecord): void {
    this.#set(this.#with(channel));
  }

  remove(channelId: number): void {
    this.#set({ ...this.#known, channels: this.#known.channels.filter(({ id }) => id !== channelId) });
  }

  /**
   * What a join told of the channel. How much is unread it does not tell: the events after it do, and what came before its first event
   * is only in a list that is read now (`isFirst` and true given back).
   */
  joined(channel: JoinedChannel, isFirst: boolean): boolean {
    const known = this.find(channel.id);
    if (known === undefined) return false;
    this.put({ ...known, ...channel, last_seq: known.last_seq });
    return isFirst && channel.my_role !== null && channel.last_seq > known.last_seq;
  }

  /** What an event of a channel changes here. */
  take(event: FeedEvent, self: string | null): void {
    if (event.event === "channel:update") this.#update(event.data.channel);
    else if (event.event === "channel:deleted") this.remove(event.data.channel_id);
    else if (event.event === "message:new")
      this.#count(event.data.channel_id, event.data.seq, event.data.chat_message, self);
  }

  /** What was told to oneself, whatever the channel. Gives back whether the list is to be read anew. */
  pass(event: LiveEvent): boolean {
    switch (event.event) {
      case "channel:read": {
        const { channel_id, last_read_seq, unread_count } = event.data;
        this.#counted.delete(channel_id);
        this.#change(channel_id, (known) => ({ ...known, last_read_seq, unread_count }));
        if (unread_count === 0) this.unmention(channel_id);
        return false;
      }
      case "channel:added":
        this.put(event.data.channel);
        return false;
      case "channel:removed":
        return true;
      case "mention:new":
        this.mentioned.change((all) => new Set([...all, event.data.channel_id]));
        return false;
      default:
        return false;
    }
  }

  unmention(channelId: number): void {
    if (!this.mentioned.get().has(channelId)) return;
    this.mentioned.change((all) => new Set([...all].filter((id) => id !== channelId)));
  }

  #update(channel: ChannelFacts): void {
    this.#change(channel.id, (known) => ({ ...known, ...channel }));
  }

  /** A list may be older than what came while it was read: the events after it are counted on top, and what was read stays read. */
  #newer(channel: ChannelRecord): ChannelRecord {
    const known = this.find(channel.id);
    const later = (this.#counted.get(channel.id) ?? []).filter((seq) => seq > channel.last_seq);
    this.#counted.set(channel.id, later);
    if (known === undefined || channel.unread_count === null) return channel;
    const last_seq = Math.max(channel.last_seq, known.last_seq);
    if ((known.last_read_seq ?? 0) > (channel.last_read_seq ?? 0)) {
      return { ...channel, last_seq, last_read_seq: known.last_read_seq, unread_count: known.unread_count };
    }
    return { ...channel, last_seq, unread_count: Math.min(UNREAD_COUNT_MAX, channel.unread_count + later.length) };
  }

  #count(channelId: number, seq: number, message: { username: string | null }, self: string | null): void {
    const known = this.find(channelId);
    // What the list knew of when it was read is counted already.
    if (known === undefined || seq <= known.last_seq) return;
    const isUnread = known.unread_count !== null && message.username !== self;
    if (isUnread) this.#counted.set(channelId, [...(this.#counted.get(channelId) ?? []), seq].slice(-UNREAD_COUNT_MAX));
    const unread_count = isUnread ? Math.min(UNREAD_COUNT_MAX, (known.unread_count ?? 0) + 1) : known.unread_count;
    this.#known = this.#with({ ...known, last_seq: seq, unread_count });
    this.#draw();
  }

  #with(channel: ChannelRecord): ChannelsView {
    const { channels, state } = this.#known;
    const isThere = this.find(channel.id) !== undefined;
    return {
      state,
      channels: isThere ? channels.map((each) => (each.id === channel.id ? channel : each)) : [...channels, channel],
    };
  }

  #set(known: ChannelsView): void {
    this.#known = known;
    this.view.set(known);
  }

  readonly #draw = oncePerFrame(() => this.view.set(this.#known));

  #change(channelId: number, to: (known: ChannelRecord) => ChannelRecord): void {
    const known = this.find(channelId);
    if (known === undefined) return;
    const changed = to(known);
    if (changed !== known) this.put(changed);
  }
}
