import { CLOSE } from "@parley/protocol/realtime";
import { interruptAgentStreams } from "../agents/events/open-stream-limits.ts";
import type { AppContext } from "../context.ts";
import { limitSubject } from "../http/connections/address.ts";
import type { MemberKey } from "../http/identity.ts";
import type { Trust } from "../realtime/control/trust.ts";
import { FrameGate } from "../realtime/frame-gate.ts";
import type { Connection } from "./connection.ts";

/** All connections of this node, indexed for lookup. */
export class Connections {
  readonly all = new Set<Connection>();
  /** Called when a connection has ended, or its identity changes. */
  onRemoved: ((connection: Connection) => void) | null = null;
  readonly #byMember = new Map<MemberKey, Connection[]>();
  readonly #byAddress = new Map<string, number>();

  add(connection: Connection): void {
    this.all.add(connection);
    const subject = limitSubject(connection.address);
    this.#byAddress.set(subject, (this.#byAddress.get(subject) ?? 0) + 1);
    this.addMember(connection);
  }

  remove(connection: Connection): void {
    if (!this.all.delete(connection)) return;
    const subject = limitSubject(connection.address);
    const left = (this.#byAddress.get(subject) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(subject, left);
    else this.#byAddress.delete(subject);
    this.#dropMember(connection);
    this.onRemoved?.(connection);
  }

  /** Indexes a connection under its current user or agent. */
  addMember(connection: Connection): void {
    const { member } = connection;
    if (member === null) return;
    const own = this.#byMember.get(member);
    if (own === undefined) this.#byMember.set(member, [connection]);
    else own.push(connection);
  }

  removeMember(connection: Connection): void {
    this.#dropMember(connection);
    this.onRemoved?.(connection);
  }

  #dropMember(connection: Connection): void {
    const { member } = connection;
    if (member === null) return;
    const own = this.#byMember.get(member);
    const at = own?.indexOf(connection) ?? -1;
    if (own === undefined || at === -1) return;
    own.splice(at, 1);
    if (own.length === 0) this.#byMember.delete(member);
  }

  /** Returns a copy, because callers may close connections while iterating. */
  ofMember(member: MemberKey): Connection[] {
    return this.#byMember.get(member)?.slice() ?? [];
  }

  ofUser(userId: number): Connection[] {
    return this.ofMember(`u${userId}`);
  }

  countOfMember(member: MemberKey): number {
    return this.#byMember.get(member)?.length ?? 0;
  }

  countOfAddress(address: string): number {
    return this.#byAddress.get(limitSubject(address)) ?? 0;
  }
}

/** A socket with more unread bytes gets no events that it can do without. */
export const SPARED_BYTES = 64 * 1024;

/** The sockets that read slowly: they are sent fewer of the events that a client can read again (protocol §12.7). */
export class Laggards {
  readonly #connections = new Set<Connection>();

  /** Notes whether a socket reads slowly. Called when some socket has unread bytes, for each of them. */
  look(connection: Connection): void {
    if ((connection.socket?.getBufferedAmount() ?? 0) > SPARED_BYTES) this.#connections.add(connection);
  }

  /** Takes slow sockets out of a topic until the returned function is called, in the same turn. */
  leaveOut(topic: string): () => void {
    const left: Connection[] = [];
    for (const connection of this.#connections) {
      const { socket } = connection;
      if (socket === null || socket.getBufferedAmount() <= SPARED_BYTES) this.#connections.delete(connection);
      else if (socket.isSubscribed(topic)) {
        socket.unsubscribe(topic);
        left.push(connection);
      }
    }
    return () => {
      for (const { socket } of left) socket?.subscribe(topic);
    };
  }
}

/** Lets no frame pass while this node does not trust its memory. Clients that would miss frames must return. */
export function holdFrames(ctx: AppContext, trust: Trust, connections: Connections): void {
  const gate = new FrameGate(
    () => trust.isGood,
    () => {
      ctx.log.warn("too many events while PostgreSQL did not answer; closing the sockets, which then catch up");
      interruptAgentStreams(ctx);
      for (const connection of [...connections.all]) connection.close(CLOSE.restart, "catch up");
    },
  );
  ctx.hub.guard(gate);
  trust.onRead(() => ctx.hub.openGate());
}
