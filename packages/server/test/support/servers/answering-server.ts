import { createServer, type Server, type Socket } from "node:net";

/** A recorded or invented HTTP response. */
export interface Recorded {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array;
}

export interface Asked {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
}

/** Answers one request on its connection, in any way. */
export type Answering = (socket: Socket, asked: Asked) => void;

/**
 * A server that writes HTTP/1.1 byte by byte, so that it can break off, drip, reset and lie. It answers one request per
 * connection.
 */
export class AnsweringServer implements AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[] = [];
  answering: Answering = answer({ status: 500 });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on("connection", (socket) => this.#accept(socket));
  }

  static start(): Promise<AnsweringServer> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        if (address === null || typeof address === "string") reject(new Error("The server has no port."));
        else resolve(new AnsweringServer(server, address.port));
      });
    });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {}); // the client may leave in the middle, which is under test
    socket.on("close", () => this.#sockets.delete(socket));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (!received.includes("\r\n\r\n")) return;
      const asked = read(received);
      received = "";
      this.asked.push(asked);
      this.answering(socket, asked);
    });
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function read(head: string): Asked {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers = lines
    .filter((line) => line.includes(":"))
    .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
  return { method, target, headers: Object.fromEntries(headers) };
}

function headOf({ status, headers = {} }: Recorded): string {
  const all = { "content-type": "application/json; charset=utf-8", connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Recorded\r\n${lines.join("")}`;
}

const bytesOf = ({ raw, body }: Recorded): Uint8Array =>
  Buffer.from(raw ?? (body === undefined ? "" : JSON.stringify(body)));

/** Returns the head, with the length of the whole body, and the body. */
function partsOf(recorded: Recorded): [head: string, body: Uint8Array] {
  const body = bytesOf(recorded);
  return [`${headOf(recorded)}content-length: ${body.length}\r\n\r\n`, body];
}

/** Sends the complete response. */
export function answer(recorded: Recorded): Answering {
  const [head, body] = partsOf(recorded);
  return (socket) => {
    socket.write(head);
    socket.end(body);
  };
}

/** Sends half of the announced body, then closes the connection. */
export function breakOff(recorded: Recorded): Answering {
  const [head, body] = partsOf(recorded);
  return (socket) => {
    socket.write(head);
    socket.end(body.subarray(0, body.length / 2));
  };
}

/** Sends the head, then endless spaces: as fast as possible, or one every so many milliseconds. */
export function goOn(recorded: Recorded, everyMs = 0): Answering {
  const blank = " ".repeat(everyMs === 0 ? 16_384 : 1);
  return (socket) => {
    socket.write(`${headOf(recorded)}transfer-encoding: chunked\r\n\r\n`);
    const more = () => {
      if (socket.destroyed) return;
      socket.write(`${blank.length.toString(16)}\r\n${blank}\r\n`);
      setTimeout(more, everyMs);
    };
    more();
  };
}

/** Sends nothing. */
export const sayNothing: Answering = () => {};

/** Sends a TCP reset. */
export const reset: Answering = (socket) => void socket.resetAndDestroy();

/** Uses each behaviour once, and the last one for all further requests. */
export function inTurn(...answerings: readonly Answering[]): Answering {
  let turn = 0;
  return (socket, asked) => answerings[Math.min(turn++, answerings.length - 1)]?.(socket, asked);
}
