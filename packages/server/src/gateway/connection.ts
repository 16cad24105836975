import type { ServerWebSocket } from "bun";
import { GUEST, type GuestIdentity, type UserIdentity } from "../http/identity.ts";

export type Socket = ServerWebSocket<Connection>;

/** Who is at the other end, with what proves it. */
export interface Visitor {
  identity: UserIdentity | GuestIdentity;
  /** The session's token, to ask again whether it still stands. */
  token: string | null;
  /** The token of the device cookie that came with the handshake. */
  deviceToken: string | null;
}

const NO_CHANNELS: readonly number[] = [];

/**
 * What the server keeps of one socket. There are many and most are idle: no closures, no timers, and what only some need is made
 * when they need it.
 */
export class Connection {
  readonly id: number;
  /** As limits and logins count it. */
  readonly address: string;
  identity: UserIdentity | GuestIdentity;
  token: string | null;
  readonly deviceToken: string | null;
  /** The session was made here, by `auth:login`: nobody else has its token, and it ends with the socket. */
  ownsSession = false;
  socket: Socket | null = null;
  /** Seconds of the registry's clock: when the client was heard last, and when it is pinged next. */
  heardAt = 0;
  pingAt = 0;
  /** Bad frames in a row. */
  badFrames = 0;
  /** Channels the socket is subscribed to. Never changed, only replaced; a Set would take five times the memory. */
  channels: readonly number[] = NO_CHANNELS;
  /** Those of them in which the user counts as a guest, because he is banned there. */
  unlisted: Set<number> | null = null;
  /** Channels in which the user is shown as typing, with the second it was last said. */
  typing: Map<number, number> | null = null;
  /** A command is under way; others wait in `waiting`, so that a client's commands take effect in its order. */
  busy = false;
  waiting: (string | Uint8Array)[] | null = null;
  /** When it was found to read too slowly; from then on it hears nothing new. -1: it keeps up. */
  slowSince = -1;
  /** Presence and topics are given back already. */
  isReleased = false;

  constructor(id: number, address: string, visitor: Visitor) {
    this.id = id;
    this.address = address;
    this.identity = visitor.identity;
    this.token = visitor.token;
    this.deviceToken = visitor.deviceToken;
  }

  /** May it still be given something? */
  get isOpen(): boolean {
    return this.socket !== null && !this.isReleased;
  }

  get userId(): number | null {
    return this.identity.kind === "user" ? this.identity.userId : null;
  }

  isIn(channelId: number): boolean {
    return this.channels.includes(channelId);
  }

  send(frame: string): void {
    this.socket?.send(frame);
  }

  /**
   * Ends the socket. One that has not read what it was sent is cut off instead: Bun keeps its bytes until the client goes away, and
   * a client that never reads never goes (measured, 1.4.5).
   */
  close(code: number, reason: string): void {
    const { socket } = this;
    if (socket === null) return;
    if (socket.getBufferedAmount() > 0) socket.terminate();
    else socket.close(code, reason);
  }
}

export const GUEST_VISITOR: Visitor = { identity: GUEST, token: null, deviceToken: null };
