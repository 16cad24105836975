import { clientFrame } from "../frame-parser.ts";
import { char, type FrameKind, type Protocol, text } from "./protocol.ts";

const A = char("a");
const E = char("e");
const M = char("m");
const R = char("r");
const S = char("s");
const U = char("u");

/** `{"event":"…","data":…}`: the event's name starts at the tenth byte. */
function kindOf(bytes: Uint8Array, start: number): FrameKind {
  const first = bytes[start + 10];
  const third = bytes[start + 12];
  if (first === M && third === S) return "delivery";
  if (first === A) return "ack";
  if (first === U) return "list";
  if (first === E && third === R) return "error";
  if (first === S) return "ready";
  return "other";
}

/** Protocol §8; the servers of `peers/` that have no protocol of their own speak it, too. */
export const parley: Protocol = {
  path: "/api/ws",
  login: () => [],
  join: (room) => text(JSON.stringify({ event: "channel:join", data: { channel_slug: room }, ref: "j" })),
  send: (room, content) =>
    text(JSON.stringify({ event: "message:send", data: { channel_slug: room, content }, ref: "s" })),
  acknowledges: true,
  joinedBy: "ack",
  pong: clientFrame(10, new Uint8Array(0)),
  peek: 16,
  read: (bytes, start, _length, report) => report(kindOf(bytes, start)),
  data: (frame) => (JSON.parse(frame) as { data: unknown }).data,
};

const decoder = new TextDecoder();
const BRACKET = char("[");

interface PackedFrame {
  bytes: Buffer;
  deliveries: string[];
  others: string[];
}

/** The last frames with several events, the newest first. All sockets of a room get the same ones, byte for byte. */
const recent: PackedFrame[] = [];
const RECENT_MAX = 32;

/** Parses a frame with several events, once for all sockets that receive it. */
function packedFrame(bytes: Buffer): PackedFrame {
  const known = recent.find((frame) => frame.bytes.equals(bytes));
  if (known !== undefined) return known;
  const frame: PackedFrame = { bytes: Buffer.from(bytes), deliveries: [], others: [] };
  for (const event of JSON.parse(decoder.decode(bytes)) as { event: string }[]) {
    const { deliveries, others } = frame;
    (event.event === "message:new" ? deliveries : others).push(JSON.stringify(event));
  }
  if (recent.unshift(frame) > RECENT_MAX) recent.pop();
  return frame;
}

/** The same with compact frames (protocol §8), of which one may hold several events. */
export const parleyCompact: Protocol = {
  ...parley,
  path: "/api/ws?frames=compact",
  peek: Number.POSITIVE_INFINITY,
  read(bytes, start, length, report) {
    if (bytes[start] === BRACKET) {
      const { deliveries, others } = packedFrame(Buffer.from(bytes.buffer, bytes.byteOffset + start, length));
      if (deliveries.length > 0) report("delivery", deliveries);
      if (others.length > 0) report("other", others);
    } else {
      report(kindOf(bytes, start));
    }
  },
};
