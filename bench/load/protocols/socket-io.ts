import { char, type FrameKind, type Protocol, text } from "./protocol.ts";

const FOUR = char("4");
const TWO = char("2");
const THREE = char("3");
const ZERO = char("0");
const M = char("m");
const U = char("u");

function kindOf(bytes: Uint8Array, start: number, length: number): FrameKind {
  if (length === 1 && bytes[start] === TWO) return "ping";
  if (bytes[start] !== FOUR) return "other";
  const type = bytes[start + 1];
  if (type === TWO) return bytes[start + 4] === M ? "delivery" : bytes[start + 4] === U ? "list" : "other";
  if (type === THREE) return "ack";
  if (type === ZERO) return "ready";
  return type === FOUR ? "error" : "other";
}

/** engine.io: `0{…}` open, `2` ping, `3` pong, `4` packet; socket.io within: `40` connect, `42[…]` event, `43<id>[…]` ack, `44` error. */
export const socketIo: Protocol = {
  path: "/socket.io/?EIO=4&transport=websocket",
  login: () => [text("40")],
  join: (room, announce) => text(`421${JSON.stringify(["channel:join", { channel_slug: room, announce }])}`),
  send: (room, content) => text(`422${JSON.stringify(["message:send", { channel_slug: room, content }])}`),
  acknowledges: true,
  joinedBy: "ack",
  pong: text("3"),
  peek: 16,
  read: (bytes, start, length, report) => report(kindOf(bytes, start, length)),
  data(frame) {
    const list = JSON.parse(frame.slice(frame.indexOf("["))) as unknown[];
    return frame.startsWith("42") ? list[1] : list[0];
  },
};
