import { expect, test } from "bun:test";
import { clientFrame, FrameParser } from "./frame-parser.ts";

function serverFrame(payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const header =
    length < 126
      ? [0x81, length]
      : length < 65536
        ? [0x81, 126, length >> 8, length & 255]
        : [0x81, 127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255];
  return new Uint8Array([...header, ...payload]);
}

const sizes = [0, 1, 5, 125, 126, 300, 65536, 3];
const stream = new Uint8Array(sizes.flatMap((size, i) => [...serverFrame(new Uint8Array(size).fill(i + 1))]));

for (const peek of [0, 4, Number.POSITIVE_INFINITY]) {
  test(`the frame parser reports every frame once, however the stream is split (peek ${peek})`, () => {
    for (const step of [7, 127, 4096, stream.length]) {
      const parser = new FrameParser<null>(peek);
      const seen: number[] = [];
      for (let at = 0; at < stream.length; at += step) {
        parser.parse(stream.slice(at, at + step), null, (_owner, opcode, bytes, start, length) => {
          expect(opcode).toBe(1);
          const visible = Math.min(length, peek);
          for (let i = 0; i < visible; i += Math.max(1, visible >> 3)) expect(bytes[start + i]).toBe(seen.length + 1);
          seen.push(length);
        });
      }
      expect(seen).toEqual(sizes);
    }
  });
}

test("the frame parser assembles headers that arrive byte by byte", () => {
  const parser = new FrameParser<null>(1);
  const seen: number[] = [];
  for (const byte of stream)
    parser.parse(new Uint8Array([byte]), null, (_owner, _opcode, _bytes, _start, length) => seen.push(length));
  expect(seen).toEqual(sizes);
});

test("clientFrame masks the payload and encodes its length", () => {
  const payload = new TextEncoder().encode("x".repeat(200));
  const frame = clientFrame(1, payload);
  expect(frame[0]).toBe(0x81);
  expect(frame[1]).toBe(0x80 | 126);
  const mask = frame.slice(4, 8);
  expect(frame.slice(8).map((byte, i) => byte ^ (mask[i & 3] as number))).toEqual(payload);
});
