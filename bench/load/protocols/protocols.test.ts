import { expect, test } from "bun:test";
import { FrameParser } from "../frame-parser.ts";
import { irc } from "./irc.ts";
import { mqtt } from "./mqtt.ts";
import { nats } from "./nats.ts";
import { parley } from "./parley.ts";
import type { FrameKind, Protocol } from "./protocol.ts";
import { socketIo } from "./socket-io.ts";
import { xmpp } from "./xmpp.ts";

const bytesOf = (frame: string | readonly number[]): Uint8Array =>
  typeof frame === "string" ? new TextEncoder().encode(frame) : new Uint8Array(frame);

/** Returns what the protocol sees in a frame, of which it gets no more than it asks for. */
function kindsIn(protocol: Protocol, frame: string | readonly number[]): FrameKind[] {
  const kinds: FrameKind[] = [];
  const bytes = bytesOf(frame);
  // Bytes of other frames around it must not matter.
  const seen = new Uint8Array([7, 7, ...bytes.subarray(0, Math.min(bytes.length, protocol.peek)), 7]);
  protocol.read(seen, 2, bytes.length, (kind) => kinds.push(kind));
  return kinds;
}

const cases: [string, Protocol, string | number[], FrameKind[]][] = [
  ["a message of Parley", parley, '{"event":"message:new","data":{}}', ["delivery"]],
  ["an answer of Parley", parley, '{"event":"ack","ref":"s","data":{}}', ["ack"]],
  ["an error of Parley", parley, '{"event":"error","data":{}}', ["error"]],
  ["an event of Socket.IO", socketIo, '42["message:new",{}]', ["delivery"]],
  ["a ping of engine.io", socketIo, "2", ["ping"]],
  [
    "messages of NATS in one frame",
    nats,
    "MSG r 1 5\r\nhello\r\nMSG r 1 2\r\n\r\n\r\nPING\r\n",
    ["delivery", "delivery", "ping"],
  ],
  ["a message of NATS that looks like an operation", nats, "MSG r 1 6\r\nPONG\r\n\r\n", ["delivery"]],
  ["a refusal of NATS", nats, "-ERR 'Unknown Protocol Operation'\r\n", ["error"]],
  ["NATS at the start", nats, 'INFO {"server_id":"N"}\r\nPONG\r\n', ["other", "ack"]],
  ["packets of MQTT in one frame", mqtt, [0x30, 3, 0, 1, 114, 0x30, 4, 0, 1, 114, 33], ["delivery", "delivery"]],
  ["a long packet of MQTT", mqtt, [0x30, 0x80, 1, ...Array<number>(128).fill(0x20)], ["delivery"]],
  ["a login at MQTT, and a refused one", mqtt, [0x20, 2, 0, 0, 0x20, 2, 0, 5], ["ready", "error"]],
  ["a subscription of MQTT", mqtt, [0x90, 3, 0, 1, 0], ["ack"]],
  ["a message of a room", xmpp, '<message to="a" type="groupchat"><body>x</body></message>', ["delivery"]],
  ["a presence in a room", xmpp, '<presence from="a"/>', ["list"]],
  ["a login at XMPP", xmpp, "<stream:features xmlns:stream='s'/>", ["next"]],
  ["a successful login at XMPP", xmpp, "<success xmlns='s'/>", ["next"]],
  ["a failed login at XMPP", xmpp, "<failure xmlns='s'/>", ["error"]],
  ["the end of a stream", xmpp, "<stream:error xmlns:stream='s'/>", ["error"]],
  ["a message of IRC", irc, ":n1!n1@127.0.0.1 PRIVMSG #r :PRIVMSG", ["delivery"]],
  ["a join of IRC", irc, ":n1!n1@127.0.0.1 JOIN :#r", ["other"]],
  ["the welcome of IRC", irc, ":irc.bench 001 n1 :Welcome", ["ready"]],
  ["the end of the names", irc, ":irc.bench 366 n1 #r :End of /NAMES list.", ["ack"]],
  ["a taken nick", irc, ":irc.bench 433 * n1 :Nickname is already in use.", ["error"]],
  ["no message of the day", irc, ":irc.bench 422 n1 :missing", ["other"]],
  ["a ping of IRC", irc, "PING :irc.bench", ["ping"]],
];

for (const [title, protocol, frame, kinds] of cases) {
  test(`the load understands ${title}`, () => expect(kindsIn(protocol, frame)).toEqual(kinds));
}

/** Removes the mask of a client's frame and returns its payload. */
function unmasked(frame: Uint8Array): Uint8Array {
  const long = ((frame[1] ?? 0) & 127) === 126;
  const at = long ? 4 : 2;
  const mask = frame.subarray(at, at + 4);
  return frame.subarray(at + 4).map((byte, i) => byte ^ (mask[i & 3] ?? 0));
}

test("the load's packets of MQTT have the length that they declare, also above 127 bytes", () => {
  for (const size of [1, 100, 124, 125, 126, 300]) {
    const packet = unmasked(mqtt.send("r", "x".repeat(size)));
    const long = ((packet[1] ?? 0) & 128) !== 0;
    const length = ((packet[1] ?? 0) & 127) | (long ? (packet[2] ?? 0) << 7 : 0);
    expect(packet.length).toBe(length + (long ? 3 : 2));
  }
});

test("every login and message of the load is whole frames", () => {
  for (const protocol of [parley, socketIo, nats, mqtt, xmpp, irc]) {
    for (const part of [...protocol.login(3), protocol.join("r", false, 3), protocol.send("r", "hello")]) {
      let frames = 0;
      const parser = new FrameParser<null>(0);
      // The parser reads frames without masks: skips the mask, which is not counted in the length.
      const withoutMasks: number[] = [];
      for (let at = 0; at < part.length; ) {
        const length = (part[at + 1] ?? 0) & 127;
        const [header, payload] = length === 126 ? [4, ((part[at + 2] ?? 0) << 8) | (part[at + 3] ?? 0)] : [2, length];
        withoutMasks.push(part[at] ?? 0, length, ...part.subarray(at + 2, at + header));
        withoutMasks.push(...part.subarray(at + header + 4, at + header + 4 + payload));
        at += header + 4 + payload;
      }
      parser.parse(new Uint8Array(withoutMasks), null, () => {
        frames += 1;
      });
      expect(frames).toBeGreaterThan(0);
    }
  }
});
