import type { Connection } from "./connection.ts";

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
