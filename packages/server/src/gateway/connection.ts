import type { ServerWebSocket } from "bun";
import { GUEST, type Identity, type MemberKey } from "../http/identity.ts";
import { channelTopic, compactChannelTopic } from "../realtime/topics.ts";

export type Socket = ServerWebSocket<Connection>;

/** The identity of a client, with its credentials. */
export interface Visitor {
  identity: Identity;
  /**
   * The hash of the session's token, to check later that the session is still valid; null for guests and agents. The
   * token itself is not kept, because it would let somebody in.
   */
  sessionHash: string | null;
  /** The token of the device cookie that came with the handshake. */
  deviceToken: string | null;
}

/** An agent's own events and the end of its key, as its socket hears of them. */
export interface Following {
  /** Resolves when this node receives the agent's events. */
  readonly ready: Promise<void>;
  /** Sends events from now on, first those that have come until now. */
  start(): void;
  stop(): void;
}

const NO_CHANNELS: readonly number[] = [];

/**
 * The state of one socket. There are many and most are idle, so it holds no closures and no timers, and rarely used
 * fields are allocated on demand.
 */
export class Connection {
  readonly id: number;
  /** The address that limits and logins count by. */
  readonly address: string;
  identity: Identity;
  /** The newest ended right (`rightsNow`) when the identity was last read. */
  rightsAt = 0;
  sessionHash: string | null;
  readonly deviceToken: string | null;
  /**
   * True if `auth:login` created the session on this socket: nobody else has its token, and it ends with the socket.
   */
  ownsSession = false;
  socket: Socket | null = null;
  /** Seconds of the gateway's clock: when the client was last heard, and when it is pinged next. */
  heardAt = 0;
  pingAt = 0;
  /** The state of the limit of frames. */
  pace = 0;
  /** Consecutive bad frames. */
  badFrames = 0;
  /** Channels the socket is subscribed to. Replaced, never mutated; a Set would take five times the memory. */
  channels: readonly number[] = NO_CHANNELS;
  /** The subset of `channels` in which the user counts as a guest because they are banned there. */
  unlisted: Set<number> | null = null;
  /** Channels in which the user is shown as typing, with the thread, if any, and the second of the last notice. */
  typing: Map<number, { rootId: number | null; second: number }> | null = null;
  /** True while a command runs; others queue in `waiting`, so that a client's commands take effect in order. */
  busy = false;
  waiting: (string | Uint8Array)[] | null = null;
  /** The second at which it was found to read too slowly; it receives nothing new from then on. -1: it keeps up. */
  slowSince = -1;
  /** The things that an agent's socket follows: its key and its own topic. null for users and guests. */
  following: Following | null = null;
  /** True while the page of this socket is in front of its user. */
  isVisible = false;
  /** True if the client asked for compact frames. */
  readonly isCompact: boolean;
  /** True once presence and topics have been released. */
  isReleased = false;

  constructor(id: number, address: string, visitor: Visitor, isCompact = false) {
    this.id = id;
    this.isCompact = isCompact;
    this.address = address;
    this.identity = visitor.identity;
    this.sessionHash = visitor.sessionHash;
    this.deviceToken = visitor.deviceToken;
  }

  /** True while frames can still be sent to the socket. */
  get isOpen(): boolean {
    return this.socket !== null && !this.isReleased;
  }

  /** The user or agent; null for a guest. */
  get member(): MemberKey | null {
    return this.identity.kind === "guest" ? null : this.identity.key;
  }

  isIn(channelId: number): boolean {
    return this.channels.includes(channelId);
  }

  /** The topic on which this socket receives a channel's events, in its form. */
  topicOf(channelId: number): string {
    return this.isCompact ? compactChannelTopic(channelId) : channelTopic(channelId);
  }

  send(frame: string): void {
    this.socket?.send(frame);
  }

  /**
   * Closes the socket. A client with unread bytes is terminated instead: Bun keeps those bytes until the client
   * disconnects, and a client that never reads never does (measured, 1.4.5).
   */
  close(code: number, reason: string): void {
    const { socket } = this;
    if (socket === null) return;
    if (socket.getBufferedAmount() > 0) socket.terminate();
    else socket.close(code, reason);
  }
}

export const GUEST_VISITOR: Visitor = { identity: GUEST, sessionHash: null, deviceToken: null };
