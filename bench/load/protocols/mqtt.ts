import { binary, type Protocol } from "./protocol.ts";

const encoder = new TextEncoder();

/** Types of packets, MQTT 3.1.1, table 2.1, in the upper half of the first byte. */
const CONNECT = 0x10;
const CONNACK = 0x20;
const PUBLISH = 0x30;
const SUBSCRIBE = 0x82;
const SUBACK = 0x90;
const PINGREQ = 0xc0;
const CLEAN_SESSION = 2;

/** Lengths below 128 take one byte (2.2.3). */
function packet(type: number, ...parts: (Uint8Array | number[])[]): Uint8Array {
  const body = parts.flatMap((part) => [...part]);
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return binary(new Uint8Array([type, ...length, ...body]));
}

function string(value: string): number[] {
  const bytes = encoder.encode(value);
  return [bytes.length >> 8, bytes.length & 255, ...bytes];
}

/**
 * MQTT 3.1.1 over WebSocket (6), at QoS 0: nothing is acknowledged. A subscriber gets its own messages, too.
 */
export const mqtt: Protocol = {
  path: "/mqtt",
  headers: ["Sec-WebSocket-Protocol: mqtt"],
  // An empty client id: the server makes one (3.1.3.1). No keep-alive.
  login: () => [packet(CONNECT, string("MQTT"), [4, CLEAN_SESSION, 0, 0], string(""))],
  join: (room) => packet(SUBSCRIBE, [0, 1], string(room), [0]),
  send: (room, content) => packet(PUBLISH, string(room), encoder.encode(content)),
  acknowledges: false,
  joinedBy: "ack",
  pong: packet(PINGREQ),
  peek: Number.POSITIVE_INFINITY,
  read(bytes, start, length, report) {
    for (let at = start; at < start + length; ) {
      const type = (bytes[at] as number) & 0xf0;
      if (type === PUBLISH) report("delivery");
      else if (type === CONNACK) report(bytes[at + 3] === 0 ? "ready" : "error");
      else if (type === SUBACK) report(bytes[at + 4] === 0 ? "ack" : "error");
      else report("other");
      let [size, shift] = [0, 0];
      at += 1;
      for (let more = true; more; at += 1, shift += 7) {
        size |= ((bytes[at] as number) & 127) << shift;
        more = ((bytes[at] as number) & 128) !== 0;
      }
      at += size;
    }
  },
};
