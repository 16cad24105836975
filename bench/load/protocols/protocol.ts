import { clientFrame } from "../frame-parser.ts";

/** `next` asks for the next part of a login; `ready`, or the first `ack`, ends it. */
export type FrameKind = "delivery" | "ack" | "list" | "next" | "ready" | "ping" | "error" | "other";

export type Report = (kind: FrameKind, texts?: readonly string[]) => void;

/** The part of a server's protocol over WebSocket needed to log in, join, send, count and check. */
export interface Protocol {
  path: string;
  /** Lines of the handshake beside the usual ones. */
  headers?: readonly string[];
  /**
   * Returns what the client with this number sends to log in: the first part after the handshake, each further one when
   * the server asks for the `next`. Empty if the socket is ready at once.
   */
  login(index: number): readonly Uint8Array[];
  /** `announce`: the peer tells everybody who is there. */
  join(room: string, announce: boolean, index: number): Uint8Array;
  send(room: string, content: string): Uint8Array;
  /** False: a sent message is answered only by the sender's own copy. */
  acknowledges: boolean;
  /** How the server confirms a join: with an `ack`, or with the room's first message, its subject. */
  joinedBy: "ack" | "delivery";
  pong: Uint8Array;
  /** Bytes of a frame that `read` needs. */
  peek: number;
  /**
   * Reports what a frame holds: one thing, or several in protocols that pack them. With `texts` it reports that many
   * things of one kind; without, one whose text is the whole frame.
   */
  read(bytes: Uint8Array, start: number, length: number, report: Report): void;
  /** Returns the JSON of a text frame that is the `data` of the event or answer; absent: messages have no number. */
  data?(text: string): unknown;
}

const encoder = new TextEncoder();

export const text = (payload: string): Uint8Array => clientFrame(1, encoder.encode(payload));
export const binary = (payload: Uint8Array): Uint8Array => clientFrame(2, payload);
export const char = (c: string): number => c.charCodeAt(0);

/** Several frames that are sent at once. */
export function together(...frames: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(frames.flatMap((frame) => [...frame]));
}
