import type { LabNode } from "./lab.ts";

/** The events that a client receives on its socket. */
interface Ears {
  text(text: string): void;
  closed(): void;
}

/** A client's socket on a node, as lean as a load needs it: it parses nothing. */
export class Line {
  readonly node: LabNode;
  readonly #socket: WebSocket;

  private constructor(node: LabNode, socket: WebSocket) {
    this.node = node;
    this.#socket = socket;
  }

  /** Opens a socket; null if the node refuses it or does not answer in five seconds. */
  static open(node: LabNode, headers: Record<string, string>, ears: Ears): Promise<Line | null> {
    const socket = new WebSocket(`${node.url.replace("http", "ws")}/api/ws`, { headers });
    return new Promise((resolve) => {
      let isReady = false;
      const giveUp = setTimeout(() => socket.terminate(), 5_000);
      socket.onmessage = ({ data }) => {
        const text = String(data);
        if (isReady) return ears.text(text);
        if (!text.startsWith('{"event":"session:ready"')) return;
        isReady = true;
        clearTimeout(giveUp);
        resolve(new Line(node, socket));
      };
      socket.onclose = () => {
        clearTimeout(giveUp);
        if (isReady) ears.closed();
        else resolve(null);
      };
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(event: string, ref: number, data: object): void {
    this.#socket.send(JSON.stringify({ event, ref, data }));
  }

  end(): void {
    this.#socket.terminate();
  }
}
