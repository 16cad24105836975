import { CompactReader } from "./compact-reader.ts";
import { type RateLimit, SendQueue } from "./send-queue.ts";

/** The part of WebSocket that this package uses; browsers, Bun and Node have it. */
interface SocketLike {
  readonly readyState: number;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

/** A class like the browsers' `WebSocket`, as the package ws exports it. Outside browsers it takes `{ headers }`. */
export type WebSocketClass = new (url: string, options?: never) => object;

/** Browsers send their own cookie and accept no headers; Bun and Node take headers as an option of the constructor. */
type SocketMaker = new (url: string, options?: { headers: Record<string, string> }) => SocketLike;

/** A frame of the server. */
export interface Frame {
  event: string;
  ref?: unknown;
  data: unknown;
}

export interface SocketParts {
  /** The server's base URL. */
  url: string;
  /** The headers that identify the caller. */
  headers: Record<string, string>;
  /** Default: the runtime's. */
  WebSocket?: WebSocketClass | undefined;
  rateLimit: RateLimit;
  pingMs: number;
  onFrame(frame: Frame): void;
  /** Called once, unless `drop` was called first. */
  onLost(code: number, reason: string): void;
}

/** `WebSocket.OPEN`. */
const OPEN = 1;
/** A socket that stays silent for this long after opening is dropped. */
const READY_MS = 15_000;
/** The close code of a broken connection. */
const BROKEN = 1006;
const PING_REF = "ping";

/** One socket, from opening to end. Frames after `drop` or `onLost` are ignored. */
export class SocketConnection {
  readonly #parts: SocketParts;
  readonly #socket: SocketLike;
  readonly #queue: SendQueue;
  readonly #reader = new CompactReader();
  #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  #isPinged = false;

  /** Throws if this runtime has no WebSocket or the URL is invalid. */
  constructor(parts: SocketParts) {
    this.#parts = parts;
    const socket = openSocket(parts);
    this.#socket = socket;
    // A closing socket accepts no frames, and browsers log a warning; unsent commands are sent on the next one.
    this.#queue = new SendQueue(parts.rateLimit, (frame) => {
      if (socket.readyState === OPEN) socket.send(frame);
    });
    this.#timer = setTimeout(() => this.fail(), READY_MS);
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code, reason }) => this.#lose(code, reason);
    // No runtime reports the cause; the close event that follows is handled.
    socket.onerror = () => {};
  }

  /** Called after the server's first frame: frames may be sent, and silence of the server is detected from now on. */
  start(): void {
    this.#isPinged = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ping, this.#parts.pingMs);
  }

  send(frame: string): void {
    if (!this.#isOver) this.#queue.push(frame);
  }

  /** Drops the socket as if it had broken. */
  fail(): void {
    this.#lose(BROKEN, "");
  }

  /** Closes it without notifying the owner. */
  drop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#queue.stop();
    this.#socket.close();
  }

  #receive(text: string): void {
    if (this.#isOver) return;
    const read = JSON.parse(text) as Frame | Frame[];
    for (const frame of Array.isArray(read) ? read : [read]) {
      if (frame.ref === PING_REF) this.#isPinged = false;
      else this.#parts.onFrame(this.#reader.read(frame));
      // The owner may drop the socket because of an event: the rest of the frame is then ignored, too.
      if (this.#isOver) return;
    }
  }

  #lose(code: number, reason: string): void {
    if (this.#isOver) return;
    this.drop();
    this.#parts.onLost(code, reason);
  }

  readonly #ping = (): void => {
    if (this.#isPinged) {
      this.fail();
      return;
    }
    this.#isPinged = true;
    this.#timer = setTimeout(this.#ping, this.#parts.pingMs);
    this.send(JSON.stringify({ event: "ping", data: {}, ref: PING_REF }));
  };
}

/** Returns the class for sockets. Throws if this runtime has none and none was passed. */
export function socketClass(passed: WebSocketClass | undefined): WebSocketClass {
  const found = passed ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (found !== undefined) return found;
  throw new Error(
    'This runtime has no WebSocket. On Node 20, install the package ws, import { WebSocket } from "ws", and pass it: client.realtime({ WebSocket }).',
  );
}

function openSocket({ url: baseUrl, headers, WebSocket }: SocketParts): SocketLike {
  const url = `${baseUrl.replace(/^http/, "ws")}/api/ws?frames=compact`;
  const Maker = socketClass(WebSocket) as unknown as SocketMaker;
  return Object.keys(headers).length === 0 ? new Maker(url) : new Maker(url, { headers });
}
