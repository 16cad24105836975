import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { Channel, ChannelFacts, ChatMessage, JoinedChannel } from "@parley/protocol/models";
import { type ChannelEvent, ParleyError, type RealtimeEvent, type UserClient } from "@parley/sdk";
import { recentChannels } from "../state/recent-channels.ts";
import { RETRY_MS } from "../state/retry.ts";
import { Store } from "../state/store.ts";
import { isCalledHere, isNamed, Mentions } from "./calls/mentions.ts";
import { afterReading, readUpTo, withReadingOf } from "./calls/reading.ts";

export interface ChannelsView {
  /** `private`: guests read nothing on this server. */
  state: "loading" | "ready" | "failed" | "private";
  channels: readonly Channel[];
  /** True if more public channels can be loaded. */
  hasMore: boolean;
}

/** The channels the user can see, with their unread counts, kept up to date by events. */
export class ChannelList {
  readonly view = new Store<ChannelsView>({ state: "loading", channels: [], hasMore: false });
  /** The current state. `view` gets structural changes at once; unread counts are batched per frame. */
  #known: ChannelsView = this.view.get();
  readonly mentions = new Mentions();
  readonly #client: UserClient;
  readonly #draw: () => void;
  /** The seqs of messages counted as unread, by channel, since the list or the channel was last read. */
  readonly #counted = new Map<number, number[]>();
  /** The newest settings received by events, by channel, with the event's seq. */
  readonly #updated = new Map<number, { seq: number; facts: ChannelFacts }>();
  /** Channels added since the list was requested; the response may be older than they are. */
  readonly #put = new Set<number>();
  /** Channels that were read or marked as unread since the list was requested. */
  readonly #reading = new Set<number>();
  #run = 0;
  /** The number of pages shown, and the id after which the next one begins; null: there is none. */
  #pages = 1;
  #nextAfterId: number | null = null;
  readonly #slugInSight: () => string | null;
  /** Stays the same while the page is open, so that the back button leads to the start page as it was. */
  #lastId: number | null;

  /**
   * `paced`: throttles the rendering of frequent changes. `slugInSight`: the channel in the address, which is listed
   * whatever page it is on. `lastId`: the channel that was open last, before this page.
   */
  constructor(
    client: UserClient,
    paced: (draw: () => void) => () => void,
    slugInSight: () => string | null = () => null,
    lastId: number | null = recentChannels()[0] ?? null,
  ) {
    this.#client = client;
    this.#slugInSight = slugInSight;
    this.#lastId = lastId;
    this.#draw = paced(() => this.view.set(this.#known));
  }

  find(channelId: number): Channel | undefined {
    return this.#known.channels.find(({ id }) => id === channelId);
  }

  bySlug(slug: string): Channel | undefined {
    return this.view.get().channels.find(({ channel_slug }) => channel_slug === slug.toLowerCase());
  }

  /** Returns the channel of the start page: the last one, or else #general, the user's own first, or any. */
  home(): Channel | undefined {
    const { channels } = this.view.get();
    return (
      channels.find((each) => each.id === this.#lastId && !isLocked(each)) ??
      channels.find((each) => each.channel_slug === "general" && !isLocked(each)) ??
      channels.find(({ my_role, is_direct }) => my_role !== null && !is_direct) ??
      channels.find((each) => !isLocked(each)) ??
      channels[0]
    );
  }

  /** Loads the list; a later call supersedes an earlier one. */
  async load(): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    this.#put.clear();
    this.#reading.clear();
    try {
      const { channels, nextAfterId } = await this.#readPages();
      if (run === this.#run) this.#read(channels, nextAfterId);
    } catch (error) {
      if (run !== this.#run) return;
      if (error instanceof ParleyError && error.code === "session_required") {
        this.#set({ state: "private", channels: [], hasMore: false });
        return;
      }
      // The page asks for that factor, and loads the list then.
      if (error instanceof ParleyError && error.code === "second_factor_setup_required") return;
      if (this.#known.state !== "ready") this.#set({ state: "failed", channels: [], hasMore: false });
      setTimeout(() => run === this.#run && void this.load(), RETRY_MS);
    }
  }

  /** Loads the next page of the list. */
  async loadMore(): Promise<void> {
    const [after, run] = [this.#nextAfterId, this.#run];
    if (after === null) return;
    const page = await this.#client.channels.list({ after_id: after });
    if (after !== this.#nextAfterId || run !== this.#run) return;
    this.#pages += 1;
    this.#nextAfterId = page.next_after_id;
    const known = new Set(this.#known.channels.map(({ id }) => id));
    const added = page.channels.filter(({ id }) => !known.has(id));
    const hasMore = page.next_after_id !== null;
    this.#set({ ...this.#known, channels: [...this.#known.channels, ...added], hasMore });
  }

  /** Reads as many pages as are shown, and the channel in the address. */
  async #readPages(): Promise<{ channels: Channel[]; nextAfterId: number | null }> {
    let page = await this.#client.channels.list();
    const channels = [...page.channels];
    for (let read = 1; read < this.#pages && page.next_after_id !== null; read += 1) {
      page = await this.#client.channels.list({ after_id: page.next_after_id });
      channels.push(...page.channels);
    }
    const slug = this.#slugInSight()?.toLowerCase();
    const isMissing = slug !== undefined && !channels.some(({ channel_slug }) => channel_slug === slug);
    if (isMissing && page.next_after_id !== null) {
      channels.push(...(await this.#client.channels.list({ channel_slug: slug })).channels);
    }
    return { channels, nextAfterId: page.next_after_id };
  }

  /** Adds or replaces a channel. */
  put(channel: Channel): void {
    if (this.find(channel.id) === undefined) this.#put.add(channel.id);
    this.#set(this.#with(channel));
  }

  /** Discards seqs and counts, because the data (restored from a backup) or the user has changed; the next list sets them. */
  forget(): void {
    this.#pages = 1;
    this.#lastId = null;
    this.mentions.forget();
    this.#counted.clear();
    this.#updated.clear();
    const channels = this.#known.channels.map((each) => ({
      ...each,
      last_seq: 0,
      last_read_seq: each.last_read_seq === null ? null : 0,
      unread_from_seq: null,
    }));
    this.#known = { ...this.#known, channels };
  }

  remove(channelId: number): void {
    this.#set({ ...this.#known, channels: this.#known.channels.filter(({ id }) => id !== channelId) });
  }

  /**
   * Updates a channel from a join. A join does not report the unread count: events after it are counted, but messages
   * before the first event require a fresh list. Returns true in that case.
   */
  joined(channel: JoinedChannel, isFirst: boolean): boolean {
    const known = this.find(channel.id);
    if (known === undefined) return false;
    this.put({ ...known, ...channel, last_seq: known.last_seq });
    return isFirst && channel.my_role !== null && channel.last_seq > known.last_seq;
  }

  /**
   * Applies an event of a channel. Mentions by blocked senders are ignored. `counts`: whether a message is unread in its
   * channel; a reply in a thread may not be.
   */
  take(
    event: ChannelEvent,
    self: string | null,
    isBlocked: (message: ChatMessage) => boolean = () => false,
    counts: (message: ChatMessage) => boolean = () => true,
  ): void {
    const { channel_id, seq } = event.data;
    if (event.event === "channel:update") this.#update(seq, event.data.channel);
    else if (event.event === "channel:deleted") this.remove(channel_id);
    else if (event.event === "message:new") {
      // `mention:new` is not delivered while the socket is down.
      const { chat_message } = event.data;
      const readSeq = this.find(channel_id)?.last_read_seq ?? seq;
      const isForSelf = isNamed(chat_message, self) || isCalledHere(chat_message, self);
      if (seq > readSeq && isForSelf && !isBlocked(chat_message)) this.mentions.add(channel_id, seq);
      this.#count(channel_id, seq, counts(chat_message) && chat_message.username !== self);
    }
  }

  /** Applies an event addressed to the user, whatever the channel. Returns true if the list must be loaded again. */
  pass(event: RealtimeEvent): boolean {
    switch (event.event) {
      case "channel:read": {
        const { channel_id, last_seq, unread_count } = event.data;
        const since = (this.#counted.get(channel_id) ?? []).filter((seq) => seq > last_seq);
        const reading = afterReading(event.data, since);
        this.#counted.set(channel_id, since);
        this.#reading.add(channel_id);
        this.#change(channel_id, (known) => ({ ...known, ...reading }));
        this.mentions.read(channel_id, unread_count === 0 ? last_seq : readUpTo(reading));
        return false;
      }
      case "read:all":
        return true;
      case "channel:added":
        this.put(this.#newer(event.data.channel));
        return false;
      case "channel:removed":
        return true;
      case "mention:new":
        this.mentioned(event.data.channel_id, [event.data.chat_message.seq]);
        return false;
      default:
        return false;
    }
  }

  /** Adds messages that mention the user, unless they were read meanwhile. */
  mentioned(channelId: number, seqs: readonly number[]): void {
    const channel = this.find(channelId);
    const readSeq = channel === undefined ? 0 : readUpTo(channel);
    this.mentions.add(channelId, ...seqs.filter((seq) => seq > readSeq));
  }

  #read(channels: readonly Channel[], nextAfterId: number | null): void {
    this.#nextAfterId = nextAfterId;
    const listed = channels.map((each) => this.#newer(each));
    const ids = new Set(listed.map(({ id }) => id));
    const missing = this.#known.channels.filter(({ id }) => this.#put.has(id) && !ids.has(id));
    this.#set({ state: "ready", channels: [...listed, ...missing], hasMore: nextAfterId !== null });
    // It may have been read on another device while the socket was down.
    for (const channel of listed) {
      if (channel.unread_count === 0) this.mentions.clear(channel.id);
      else this.mentions.read(channel.id, readUpTo(channel));
    }
  }

  #update(seq: number, facts: ChannelFacts): void {
    this.#updated.set(facts.id, { seq, facts });
    this.#change(facts.id, (known) => ({ ...known, ...facts }));
  }

  /**
   * Merges a listed channel, which may be older than events received meanwhile: newer settings and counts are applied
   * to it, and what was read stays read.
   */
  #newer(record: Channel): Channel {
    const updated = this.#updated.get(record.id);
    const channel = updated === undefined || updated.seq <= record.last_seq ? record : { ...record, ...updated.facts };
    return this.#counting(channel, record.last_seq);
  }

  /** Returns the channel with its unread count, for a record whose last seq was `toldSeq`. */
  #counting(channel: Channel, toldSeq: number): Channel {
    const known = this.find(channel.id);
    const uncounted = (this.#counted.get(channel.id) ?? []).filter((seq) => seq > toldSeq);
    this.#counted.set(channel.id, uncounted);
    if (known === undefined || channel.unread_count === null) return channel;
    const last_seq = Math.max(channel.last_seq, known.last_seq);
    const isNewer = this.#reading.has(channel.id) || (known.last_read_seq ?? 0) > (channel.last_read_seq ?? 0);
    if (isNewer) return withReadingOf(channel, known, last_seq);
    return { ...channel, last_seq, unread_count: Math.min(UNREAD_COUNT_MAX, channel.unread_count + uncounted.length) };
  }

  #count(channelId: number, seq: number, isNew: boolean): void {
    const known = this.find(channelId);
    // Messages that the list already included are counted already.
    if (known === undefined || seq <= known.last_seq) return;
    const isUnread = known.unread_count !== null && isNew;
    if (isUnread) this.#counted.set(channelId, [...(this.#counted.get(channelId) ?? []), seq].slice(-UNREAD_COUNT_MAX));
    const unread_count = isUnread ? Math.min(UNREAD_COUNT_MAX, (known.unread_count ?? 0) + 1) : known.unread_count;
    this.#known = this.#with({ ...known, last_seq: seq, unread_count });
    this.#draw();
  }

  #with(channel: Channel): ChannelsView {
    const { channels } = this.#known;
    const isThere = this.find(channel.id) !== undefined;
    return {
      ...this.#known,
      channels: isThere ? channels.map((each) => (each.id === channel.id ? channel : each)) : [...channels, channel],
    };
  }

  #set(known: ChannelsView): void {
    this.#known = known;
    this.view.set(known);
  }

  #change(channelId: number, to: (known: Channel) => Channel): void {
    const known = this.find(channelId);
    if (known === undefined) return;
    const changed = to(known);
    if (changed !== known) this.put(changed);
  }
}

/** True if the user must join the channel before they can read it. */
export const isLocked = ({ my_role, has_password, price }: Channel): boolean =>
  my_role === null && (has_password || price !== null);
