import type { Channel } from "@parley/protocol/models";
import type { ChannelEvent, ParleyError, RealtimeClient, UserClient } from "@parley/sdk";
import type { Blocks } from "../model/blocks.ts";
import type { Calls } from "../model/calls/calls.ts";
import { readUpTo } from "../model/calls/reading.ts";
import { type ChannelList, isLocked } from "../model/channel-list.ts";
import { ChannelSession } from "../model/channel-session.ts";
import type { FollowedThreads } from "../model/threads/followed-threads.ts";
import { replaceAddress } from "../state/current-route.ts";
import { pause } from "../state/pause.ts";
import { rememberChannel } from "../state/recent-channels.ts";
import { RETRY_MS } from "../state/retry.ts";
import { messageHref, type Route } from "../state/route.ts";

/** The parts of the page that its channels need. */
interface Parts {
  readonly client: UserClient;
  readonly live: RealtimeClient;
  readonly channels: ChannelList;
  readonly calls: Calls;
  readonly blocks: Blocks;
  readonly threads: FollowedThreads;
  /** The user's name; null for a guest. */
  readonly self: string | null;
}

/** The sessions of the channels that the page follows: the user's own ones, and the visible one. */
export class OpenChannels {
  readonly #parts: Parts;
  readonly #sessions = new Map<number, ChannelSession>();
  /** The id of the visible channel. */
  #openId: number | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.channels.view.subscribe(() => this.#followJoined());
  }

  session(channelId: number): ChannelSession {
    const known = this.#sessions.get(channelId);
    if (known !== undefined) return known;
    const { client, live, channels, calls, blocks, threads } = this.#parts;
    const channelSession = new ChannelSession({
      client,
      live,
      channelId,
      self: () => this.#parts.self,
      onEvent: (event) => {
        threads.take(event);
        channels.take(
          event,
          this.#parts.self,
          (message) => blocks.isFrom(message),
          (message) => threads.counts(message),
        );
        calls.take(event);
        this.#reloadAfterJoining(event);
      },
      onJoined: (ack, isFirst) => {
        if (channels.joined(ack.channel, isFirst)) void channels.load();
      },
      onEnded: (error) => void this.#ended(channelId, error),
      onReply: (reply) => replaceAddress(messageHref(reply)),
    });
    this.#sessions.set(channelId, channelSession);
    return channelSession;
  }

  /** Shows a channel; the previous one stays subscribed only if the user is a member. */
  show(channel: Channel, route: Route): ChannelSession {
    if (this.#openId !== channel.id) this.hide();
    this.#openId = channel.id;
    rememberChannel(channel.id);
    this.#parts.calls.notifier.setOpen(channel.id);
    const channelSession = this.session(channel.id);
    const { unread_count: count } = channel;
    const unread = count === null ? undefined : count > 0 ? { count, afterSeq: readUpTo(channel) } : null;
    channelSession.open(route, unread);
    return channelSession;
  }

  hide(): void {
    const id = this.#openId;
    this.#openId = null;
    this.#parts.calls.notifier.setOpen(null);
    if (id === null) return;
    this.session(id).close();
    if (this.#parts.channels.find(id)?.my_role == null) this.#drop(id);
  }

  /** Shows a thread that the user follows as read, wherever it is. */
  readThread(rootId: number): void {
    const read = { message_id: rootId, following: true, unread_count: 0 };
    for (const session of this.#sessions.values()) session.readThread(read);
  }

  /** Leaves all channels, because the user has changed. */
  forget(): void {
    for (const id of [...this.#sessions.keys()]) this.#drop(id);
  }

  #followJoined(): void {
    const { state, channels } = this.#parts.channels.view.get();
    if (state !== "ready") return;
    for (const { id, my_role } of channels) if (my_role !== null) this.session(id).follow();
    const known = new Set(channels.map(({ id }) => id));
    for (const id of [...this.#sessions.keys()]) if (!known.has(id)) this.#drop(id);
  }

  /** Sending a message in a public channel also joins it, so the list is reloaded. */
  #reloadAfterJoining(event: ChannelEvent): void {
    const { self, channels } = this.#parts;
    if (event.event !== "message:new" || event.data.chat_message.username !== self || self === null) return;
    if (channels.find(event.data.channel_id)?.my_role === null) void channels.load();
  }

  #drop(channelId: number): void {
    this.#sessions.get(channelId)?.leave();
  }

  async #ended(channelId: number, error: ParleyError): Promise<void> {
    const { channels, live } = this.#parts;
    if (error.code === "connection_closed" || error.code === "session_over") return;
    if (error.code === "channel_not_found") channels.remove(channelId);
    await channels.load();
    // A refused subscription may be refused again, so wait.
    if (error.code !== "access_ended") await pause(RETRY_MS);
    const channel = channels.find(channelId);
    const isReadable = channel !== undefined && !isLocked(channel);
    // A user removed from a public channel that they are looking at keeps reading it as a non-member.
    if (isReadable && this.#openId === channelId && live.state !== "ended") this.session(channelId).follow();
  }
}
