const EMPTY = new Uint8Array(0);

/**
 * Called for each frame. `length` is that of the payload; at least `min(length, peek)` bytes of it begin at `start`.
 */
export type OnFrame<T> = (owner: T, opcode: number, bytes: Uint8Array, start: number, length: number) => void;

/**
 * Parses the headers of the WebSocket frames in a server's stream, however the stream is split. Buffers only `peek`
 * bytes of a payload and skips the rest, so that counting frames is cheap.
 */
export class FrameParser<T> {
  /** Bytes of payload the caller needs: Infinity for whole frames. */
  peek: number;
  #stash: Uint8Array = EMPTY;
  #skip = 0;

  constructor(peek: number) {
    this.peek = peek;
  }

  parse(chunk: Uint8Array, owner: T, onFrame: OnFrame<T>): void {
    let at = 0;
    if (this.#skip > 0) {
      if (this.#skip >= chunk.length) {
        this.#skip -= chunk.length;
        return;
      }
      at = this.#skip;
      this.#skip = 0;
    }
    const bytes = this.#stash.length > 0 ? joined(this.#stash, chunk) : chunk;
    this.#stash = EMPTY;
    const end = bytes.length;
    while (end - at >= 2) {
      let length = byteAt(bytes, at + 1) & 127;
      let header = 2;
      if (length === 126) {
        if (end - at < 4) break;
        length = (byteAt(bytes, at + 2) << 8) | byteAt(bytes, at + 3);
        header = 4;
      } else if (length === 127) {
        if (end - at < 10) break;
        length = new DataView(bytes.buffer, bytes.byteOffset + at + 6, 4).getUint32(0);
        header = 10;
      }
      const have = end - at - header;
      if (have < length && have < this.peek) break;
      onFrame(owner, byteAt(bytes, at) & 15, bytes, at + header, length);
      if (have < length) {
        this.#skip = length - have;
        return;
      }
      at += header + length;
    }
    if (at < end) this.#stash = bytes.slice(at);
  }
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** Returns a masked frame, as clients must send it. */
export function clientFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const header = payload.length < 126 ? 2 : 4;
  if (payload.length > 0xffff) throw new Error("a client frame of the benchmark is at most 65,535 bytes long");
  const mask = [0x37, 0xfa, 0x21, 0x3d] as const;
  const frame = new Uint8Array(header + 4 + payload.length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (header === 2 ? payload.length : 126);
  if (header === 4) {
    frame[2] = payload.length >> 8;
    frame[3] = payload.length & 255;
  }
  frame.set(mask, header);
  for (let i = 0; i < payload.length; i += 1) {
    frame[header + 4 + i] = byteAt(payload, i) ^ (mask[i & 3] as number);
  }
  return frame;
}
