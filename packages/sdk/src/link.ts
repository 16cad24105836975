import { Outbox, type Pace } from "./outbox.ts";

/** What this package needs of a WebSocket; browsers, Bun and Node have it. */
interface SocketLike {
  readonly readyState: number;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

/** Browsers send their own cookie and take no headers; Bun and Node take headers as an option of the constructor. */
type SocketMaker = new (url: string, options?: { headers: Record<string, string> }) => SocketLike;

/** A frame of the server. */
export interface Frame {
  event: string;
  ref?: unknown;
  data: unknown;
}

export interface LinkParts {
  /** The server's base URL. */
  url: string;
  /** By which the server knows the caller. */
  headers: Record<string, string>;
  pace: Pace;
  pingMs: number;
  onFrame(frame: Frame): void;
  /** Called once, unless `drop` was called first. */
  onLost(code: number, reason: string): void;
}

/** `WebSocket.OPEN`. */
const OPEN = 1;
/** A socket that says nothing for so long after it was opened is given up. */
const READY_MS = 15_000;
/** The code a broken connection has. */
const BROKEN = 1006;
const PING_REF = "ping";

/** One socket, from its opening to its end. What comes after `drop` or `onLost` is heard by nobody. */
export class Link {
  readonly #parts: LinkParts;
  readonly #socket: SocketLike;
  readonly #outbox: Outbox;
  #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  #isPinged = false;

  /** Throws when this runtime has no WebSocket or the URL is none. */
  constructor(parts: LinkParts) {
    this.#parts = parts;
    const socket = openSocket(parts.url, parts.headers);
    this.#socket = socket;
    // A socket that is closing takes nothing, and a browser complains of it; what was not sent comes again on the next one.
    this.#outbox = new Outbox(parts.pace, (frame) => {
      if (socket.readyState === OPEN) socket.send(frame);
    });
    this.#timer = setTimeout(() => this.fail(), READY_MS);
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code, reason }) => this.#lose(code, reason);
    // No runtime tells what went wrong; the close that follows is what counts.
    socket.onerror = () => {};
  }

  /** After the server's first word: frames may be sent, and the server's silence is noticed from now on. */
  start(): void {
    this.#isPinged = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ping, this.#parts.pingMs);
  }

  send(frame: string): void {
    if (!this.#isOver) this.#outbox.push(frame);
  }

  /** Gives it up: as if it had broken. */
  fail(): void {
    this.#lose(BROKEN, "");
  }

  /** Closes it without a word to the owner. */
  drop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#outbox.stop();
    this.#socket.close();
  }

  #receive(text: string): void {
    if (this.#isOver) return;
    const frame = JSON.parse(text) as Frame;
    if (frame.ref === PING_REF) this.#isPinged = false;
    else this.#parts.onFrame(frame);
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

function openSocket(baseUrl: string, headers: Record<string, string>): SocketLike {
  const url = `${baseUrl.replace(/^http/, "ws")}/api/ws`;
  const Maker = (globalThis as { WebSocket?: unknown }).WebSocket as SocketMaker | undefined;
  if (Maker === undefined) throw new Error("This runtime has no WebSocket: Node needs version 22 or later.");
  return Object.keys(headers).length === 0 ? new Maker(url) : new Maker(url, { headers });
}
