import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { ChannelFacts, ChannelRecord, ChatMessage, JoinedChannel } from "@parley/protocol/records";
import type { ParleyClient } from "@parley/sdk/client";
import type { FeedEvent } from "@parley/sdk/feed-types";
import type { LiveEvent } from "@parley/sdk/live-types";
import { Store } from "../app/store.ts";
import { RETRY_MS } from "../app/until-done.ts";

type Named = Pick<ChatMessage, "username" | "mentions">;

export interface ChannelsView {
  state: "loading" | "ready" | "failed";
  channels: readonly ChannelRecord[];
  /** There are channels besides one's own that are not read yet. */
  hasMore: boolean;
}

/** The channels one can see, with what is unread in them, kept up to date by events. */
export class ChannelList {
  readonly view = new Store<ChannelsView>({ state: "loading", channels: [], hasMore: false });
  /** What is known. `view` shows it: at once, but what is only counted with the next picture, however much comes. */
  #known: ChannelsView = this.view.get();
  /** Channels in which one was named and has not looked since. */
  readonly mentioned = new Store<ReadonlySet<number>>(new Set());
  readonly #client: ParleyClient;
  readonly #draw: () => void;
  /** Which events were counted as unread, by channel, since the list was read or the channel was. */
  readonly #counted = new Map<number, number[]>();
  /** The newest settings that events told, by channel, and with which number. */
  readonly #updated = new Map<number, { seq: number; facts: ChannelFacts }>();
  /** What was put in since the list was asked for: the answer may be older. */
  readonly #put = new Set<number>();
  #run = 0;
  /** How many pages of the list are shown, and after which id the next one begins; null: there is none. */
  #pages = 1;
  #nextAfterId: number | null = null;
  readonly #slugInSight: () => string | null;

  /**
   * `paced`: how what may come thick and fast is drawn. `slugInSight`: the channel that the address names, which is in the list on whatever
   * page it is.
   */
  constructor(
    client: ParleyClient,
    paced: (draw: () => void) => () => void,
    slugInSight: () => string | null = () => null,
  ) {
    this.#client = client;
    this.#slugInSight = slugInSight;
    this.#draw = paced(() => this.view.set(this.#known));
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
    this.#put.clear();
    try {
      const { channels, nextAfterId } = await this.#readPages();
      if (run === this.#run) this.#read(channels, nextAfterId);
    } catch {
      if (run !== this.#run) return;
      if (this.#known.state !== "ready") this.#set({ state: "failed", channels: [], hasMore: false });
      setTimeout(() => run === this.#run && void this.load(), RETRY_MS);
    }
  }

  /** Reads the next page of the list. */
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

  /** As many pages as are shown, and the channel in sight. */
  async #readPages(): Promise<{ channels: ChannelRecord[]; nextAfterId: number | null }> {
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

  /** Puts a channel in, or in the place of what it was. */
  put(channel: ChannelRecord): void {
    if (this.find(channel.id) === undefined) this.#put.add(channel.id);
    this.#set(this.#with(channel));
  }

  /**
   * The data are others now (restored from a backup), or the person is: the numbers of the list that is read next count, and none of before.
   */
  forget(): void {
    this.#pages = 1;
    this.mentioned.set(new Set());
    this.#counted.clear();
    this.#updated.clear();
    const channels = this.#known.channels.map((each) => ({
      ...each,
      last_seq: 0,
      last_read_seq: each.last_read_seq === null ? null : 0,
    }));
    this.#known = { ...this.#known, channels };
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

  /** Applies an event of a channel. A mention by somebody who is blocked is not shown as one. */
  take(event: FeedEvent, self: string | null, isBlocked: (message: ChatMessage) => boolean = () => false): void {
    const { channel_id, seq } = event.data;
    if (event.event === "channel:update") this.#update(seq, event.data.channel);
    else if (event.event === "channel:deleted") this.remove(channel_id);
    else if (event.event === "message:new") {
      // Whose socket was down was not told `mention:new`.
      const { chat_message } = event.data;
      if (this.#isNamed(channel_id, seq, chat_message, self) && !isBlocked(chat_message)) this.#mention(channel_id);
      this.#count(channel_id, seq, chat_message, self);
    }
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
        this.put(this.#newer(event.data.channel));
        return false;
      case "channel:removed":
        return true;
      case "mention:new":
        this.#mention(event.data.channel_id);
        return false;
      default:
        return false;
    }
  }

  unmention(channelId: number): void {
    if (!this.mentioned.get().has(channelId)) return;
    this.mentioned.change((all) => new Set([...all].filter((id) => id !== channelId)));
  }

  #mention(channelId: number): void {
    this.mentioned.change((all) => new Set([...all, channelId]));
  }

  #isNamed(channelId: number, seq: number, { username, mentions }: Named, self: string | null): boolean {
    const readSeq = this.find(channelId)?.last_read_seq ?? null;
    if (self === null || username === self || readSeq === null || seq <= readSeq) return false;
    return mentions.some(({ type, name }) => type === "user" && name === self);
  }

  #read(channels: readonly ChannelRecord[], nextAfterId: number | null): void {
    this.#nextAfterId = nextAfterId;
    const listed = channels.map((each) => this.#newer(each));
    const ids = new Set(listed.map(({ id }) => id));
    const missing = this.#known.channels.filter(({ id }) => this.#put.has(id) && !ids.has(id));
    this.#set({ state: "ready", channels: [...listed, ...missing], hasMore: nextAfterId !== null });
    // It may have been read on another device, which nobody told while the socket was down.
    for (const { id, unread_count } of listed) if (unread_count === 0) this.unmention(id);
  }

  #update(seq: number, facts: ChannelFacts): void {
    this.#updated.set(facts.id, { seq, facts });
    this.#change(facts.id, (known) => ({ ...known, ...facts }));
  }

  /** A list may be older than what came while it was read: the events after it are put on top, and what was read stays read. */
  #newer(told: ChannelRecord): ChannelRecord {
    const updated = this.#updated.get(told.id);
    const channel = updated === undefined || updated.seq <= told.last_seq ? told : { ...told, ...updated.facts };
    return this.#counting(channel, told.last_seq);
  }

  /** How much is unread of a channel that was told when its last number was this. */
  #counting(channel: ChannelRecord, toldSeq: number): ChannelRecord {
    const known = this.find(channel.id);
    const later = (this.#counted.get(channel.id) ?? []).filter((seq) => seq > toldSeq);
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

  #change(channelId: number, to: (known: ChannelRecord) => ChannelRecord): void {
    const known = this.find(channelId);
    if (known === undefined) return;
    const changed = to(known);
    if (changed !== known) this.put(changed);
  }
}

/** Is nothing of it to be seen before one is in? */
export const isLocked = ({ my_role, has_password, price }: ChannelRecord): boolean =>
  my_role === null && (has_password || price !== null);
