import { char, type FrameKind, type Protocol, text, together } from "./protocol.ts";

const COLON = char(":");
const SPACE = char(" ");
const P = char("P");
const R = char("R");
const ZERO = char("0");
const ONE = char("1");
const THREE = char("3");
const FOUR = char("4");
const SIX = char("6");
/** A prefix has a nick of some letters and an address. */
const PEEK = 80;

/** A frame is one line without its end: `:<prefix> <command> …`, or a command alone. */
function kindOf(bytes: Uint8Array, start: number, length: number): FrameKind {
  if (bytes[start] !== COLON) return bytes[start] === P ? "ping" : bytes[start] === char("E") ? "error" : "other";
  const end = start + Math.min(length, PEEK);
  let at = start + 1;
  while (at < end && bytes[at] !== SPACE) at += 1;
  const [first, second, third] = [bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (first === P && second === R) return "delivery";
  // 001, welcome; 366, the end of the names in a channel.
  if (first === ZERO && second === ZERO && third === ONE) return "ready";
  if (first === THREE && second === SIX && third === SIX) return "ack";
  // 422, there is no message of the day; the other numbers from 400 on are errors.
  if (first === FOUR && bytes[at + 4] === SPACE) return second === char("2") ? "other" : "error";
  return "other";
}

/** IRC over WebSocket (ircv3.net, "WebSocket"), with `echo-message`, so that senders get their own messages, too. */
export const irc: Protocol = {
  path: "/",
  headers: ["Origin: http://localhost"],
  login: (index) => [
    together(text("CAP REQ :echo-message"), text(`NICK n${index}`), text(`USER n${index} 0 * :bench`), text("CAP END")),
  ],
  join: (room) => text(`JOIN #${room}`),
  send: (room, content) => text(`PRIVMSG #${room} :${content}`),
  acknowledges: false,
  joinedBy: "ack",
  pong: text("PONG :bench"),
  peek: PEEK,
  read: (bytes, start, length, report) => report(kindOf(bytes, start, length)),
};
