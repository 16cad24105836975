import type { EventData } from "@parley/protocol/events";
import type { RealtimeClient, RealtimeEvent, UserClient } from "@parley/sdk";
import type { Calls } from "../model/calls/calls.ts";
import { readUpTo } from "../model/calls/reading.ts";
import type { ChannelList } from "../model/channel-list.ts";
import type { FollowedThreads } from "../model/threads/followed-threads.ts";
import type { OpenChannels } from "./open-channels.ts";

interface Parts {
  readonly client: UserClient;
  readonly live: RealtimeClient;
  readonly channels: ChannelList;
  readonly calls: Calls;
  readonly threads: FollowedThreads;
}

/** Reports what the user reads, and applies what they have read on any device. */
export class Reading {
  readonly #parts: Parts;
  readonly #open: OpenChannels;
  /** Reports that the server may not have applied yet. */
  readonly #reports = new Set<Promise<unknown>>();

  /** From where on channels are marked as unread, by the events since the page was opened. */
  readonly #marks = new Map<number, number>();

  constructor(parts: Parts, open: OpenChannels) {
    this.#parts = parts;
    this.#open = open;
  }

  /** Reports the messages of the channel up to this seq as read. */
  markRead(channelId: number, seq: number): void {
    const { channels, live } = this.#parts;
    const channel = channels.find(channelId);
    if (channel === undefined || channel.my_role === null || (channel.unread_count ?? 0) === 0) return;
    if (seq <= readUpTo(channel)) return;
    channels.mentions.read(channelId, seq);
    this.#report(live.command("channel:read", { channel_id: channelId, seq }));
  }

  /** Reports the replies of a thread up to this seq as read. */
  markThreadRead(rootId: number, seq: number): void {
    this.#report(this.#parts.client.messages.readThread(rootId, { seq }));
  }

  /** Resolves when no report is on its way: a late one would take back what is marked as unread now. */
  async settled(): Promise<void> {
    await Promise.all(this.#reports);
  }

  take(event: RealtimeEvent): void {
    const { calls, threads } = this.#parts;
    if (event.event === "thread:read") this.#threadRead(event.data);
    else if (event.event === "channel:read") {
      // Mentions among what is unread again. While it is read, the mark only moves forward.
      if (this.#isMarked(event.data)) calls.preferences.load();
    } else if (event.event === "read:all") {
      for (const message_id of threads.unread.get().keys()) this.#open.readThread(message_id);
      threads.load();
    }
  }

  #isMarked({ channel_id, unread_from_seq }: EventData<"channel:read">): boolean {
    const before = this.#marks.get(channel_id) ?? Number.POSITIVE_INFINITY;
    if (unread_from_seq === null) this.#marks.delete(channel_id);
    else this.#marks.set(channel_id, unread_from_seq);
    return unread_from_seq !== null && unread_from_seq < before;
  }

  #report(report: Promise<unknown>): void {
    const settled: Promise<unknown> = report
      // It stays unread, and is reported again when the user next looks.
      .catch(() => {})
      .then(() => this.#reports.delete(settled));
    this.#reports.add(settled);
  }

  #threadRead(read: EventData<"thread:read">): void {
    const { channels, threads } = this.#parts;
    const { channel_id, message_id, unread_count } = read;
    const wasUnread = threads.unread.get().has(message_id);
    threads.pass(read);
    this.#open.session(channel_id).readThread(read);
    // Its replies were unread in the channel, too.
    const isChannelUnread = (channels.find(channel_id)?.unread_count ?? 0) > 0;
    if (wasUnread && unread_count === 0 && isChannelUnread) void channels.load();
  }
}
