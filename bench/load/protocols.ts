import { clientFrame } from "./frame-parser.ts";
import type { ProtocolName } from "./jobs.ts";

export type FrameKind = "delivery" | "ack" | "list" | "ready" | "ping" | "error" | "other";

/** The part of a server's WebSocket protocol needed to join, send, count and check. */
export interface Protocol {
  path: string;
  /** Sent after the handshake, before the socket counts as ready. Null if the server speaks first. */
  hello: Uint8Array | null;
  join(room: string, announce: boolean): Uint8Array;
  send(room: string, content: string): Uint8Array;
  pong: Uint8Array;
  /** Reads only the first PEEK bytes of a text frame. */
  kind(bytes: Uint8Array, start: number, length: number): FrameKind;
  /** Returns the JSON of a text frame that is the `data` of the event or answer. */
  data(text: string): unknown;
}

/** Bytes of a payload that `kind` needs. */
export const PEEK = 16;

const encoder = new TextEncoder();
const text = (payload: string): Uint8Array => clientFrame(1, encoder.encode(payload));
const char = (c: string): number => c.charCodeAt(0);

const A = char("a");
const E = char("e");
const M = char("m");
const R = char("r");
const S = char("s");
const U = char("u");

/** `{"event":"…","data":…}`: the event's name starts at the tenth byte. */
const parley: Protocol = {
  path: "/api/ws",
  hello: null,
  join: (room) => text(JSON.stringify({ event: "channel:join", data: { channel_slug: room }, ref: "j" })),
  send: (room, content) =>
    text(JSON.stringify({ event: "message:send", data: { channel_slug: room, content }, ref: "s" })),
  pong: clientFrame(10, new Uint8Array(0)),
  kind(bytes, start) {
    const first = bytes[start + 10];
    const third = bytes[start + 12];
    if (first === M && third === S) return "delivery";
    if (first === A) return "ack";
    if (first === U) return "list";
    if (first === E && third === R) return "error";
    if (first === S) return "ready";
    return "other";
  },
  data: (frame) => (JSON.parse(frame) as { data: unknown }).data,
};

/** The same with compact frames (protocol §8). */
const parleyCompact: Protocol = { ...parley, path: "/api/ws?frames=compact" };

const FOUR = char("4");
const TWO = char("2");
const THREE = char("3");
const ZERO = char("0");

/** engine.io: `0{…}` open, `2` ping, `3` pong, `4` packet; socket.io within: `40` connect, `42[…]` event, `43<id>[…]` ack, `44` error. */
const socketIo: Protocol = {
  path: "/socket.io/?EIO=4&transport=websocket",
  hello: text("40"),
  join: (room, announce) => text(`421${JSON.stringify(["channel:join", { channel_slug: room, announce }])}`),
  send: (room, content) => text(`422${JSON.stringify(["message:send", { channel_slug: room, content }])}`),
  pong: text("3"),
  kind(bytes, start, length) {
    if (length === 1 && bytes[start] === TWO) return "ping";
    if (bytes[start] !== FOUR) return "other";
    const type = bytes[start + 1];
    if (type === TWO) return bytes[start + 4] === M ? "delivery" : bytes[start + 4] === U ? "list" : "other";
    if (type === THREE) return "ack";
    if (type === ZERO) return "ready";
    return type === FOUR ? "error" : "other";
  },
  data(frame) {
    const list = JSON.parse(frame.slice(frame.indexOf("["))) as unknown[];
    return frame.startsWith("42") ? list[1] : list[0];
  },
};

export const protocols: Record<ProtocolName, Protocol> = {
  parley,
  "parley-compact": parleyCompact,
  "socket.io": socketIo,
};
