import { binary, char, type Protocol } from "./protocol.ts";

const encoder = new TextEncoder();
const lines = (...all: string[]) => binary(encoder.encode(`${all.join("\r\n")}\r\n`));

const M = char("M");
const P = char("P");
const I = char("I");
const MINUS = char("-");
const LF = 10;
const CR = 13;
const SPACE = 32;
const ZERO = char("0");

/**
 * NATS core over WebSocket (docs.nats.io, "Client Protocol"). A frame holds whole operations, usually many. Publishing
 * is not acknowledged; a subscriber gets its own messages, too.
 */
export const nats: Protocol = {
  path: "/",
  login: () => [
    lines(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, lang: "bench", version: "1" })}`, "PING"),
  ],
  join: (room) => lines(`SUB ${room} 1`, "PING"),
  send: (room, content) => lines(`PUB ${room} ${encoder.encode(content).length}`, content),
  acknowledges: false,
  joinedBy: "ack",
  pong: lines("PONG"),
  peek: Number.POSITIVE_INFINITY,
  read(bytes, start, length, report) {
    const end = start + length;
    for (let at = start; at < end; ) {
      const first = bytes[at];
      const line = lineEnd(bytes, at, end);
      if (first === M) {
        report("delivery");
        // MSG <subject> <sid> <bytes>, the payload, and the end of its line.
        at = line + 2 + lastNumber(bytes, line) + 2;
        continue;
      }
      // PING or PONG.
      if (first === P) report(bytes[at + 1] === I ? "ping" : "ack");
      else report(first === MINUS ? "error" : "other");
      at = line + 2;
    }
  },
};

function lineEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at + 1 < end; at += 1) if (bytes[at] === CR && bytes[at + 1] === LF) return at;
  throw new Error("an operation of NATS is cut");
}

function lastNumber(bytes: Uint8Array, end: number): number {
  let value = 0;
  for (let at = end - 1, place = 1; bytes[at] !== SPACE; at -= 1, place *= 10)
    value += ((bytes[at] as number) - ZERO) * place;
  return value;
}
