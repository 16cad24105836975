import { connect, type Socket } from "node:net";
import { eventually } from "./test-server.ts";

/**
 * A client that writes WebSocket frames over TCP itself: it answers no ping, can stop reading, and can send any bytes.
 */
export class RawSocket implements Disposable {
  readonly tcp: Socket;
  /** The received bytes, including the response to the handshake. */
  received: Buffer = Buffer.alloc(0);
  isClosed = false;

  private constructor(tcp: Socket) {
    this.tcp = tcp;
    tcp.on("data", (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    tcp.on("close", () => {
      this.isClosed = true;
    });
    tcp.on("error", () => {});
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const raw = new RawSocket(connect(Number(port), hostname));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    raw.tcp.write(
      `GET /api/ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${lines.join("")}\r\n`,
    );
    await eventually("the handshake's answer", () => raw.received.includes("\r\n\r\n"));
    return raw;
  }

  get head(): string {
    return this.received.subarray(0, this.received.indexOf("\r\n\r\n")).toString();
  }

  /** The frames that have arrived completely. */
  get frames(): { opcode: number; payload: Buffer }[] {
    const frames: { opcode: number; payload: Buffer }[] = [];
    let at = this.received.indexOf("\r\n\r\n") + 4;
    while (at + 2 <= this.received.length) {
      const opcode = (this.received[at] ?? 0) & 0x0f;
      let length = (this.received[at + 1] ?? 0) & 0x7f;
      let start = at + 2;
      if (length === 126) {
        if (start + 2 > this.received.length) break;
        length = this.received.readUInt16BE(start);
        start += 2;
      } else if (length === 127) {
        if (start + 8 > this.received.length) break;
        length = Number(this.received.readBigUInt64BE(start));
        start += 8;
      }
      if (start + length > this.received.length) break;
      frames.push({ opcode, payload: this.received.subarray(start, start + length) });
      at = start + length;
    }
    return frames;
  }

  /** Sends one frame, masked as clients must. */
  send(payload: string | Buffer, opcode = 1): void {
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    const mask = Buffer.from([1, 2, 3, 4]);
    const head =
      bytes.length < 126
        ? Buffer.from([0x80 | opcode, 0x80 | bytes.length])
        : Buffer.from([0x80 | opcode, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff]);
    const masked = Uint8Array.from(bytes, (byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.tcp.write(Buffer.concat([head, mask, masked]));
  }

  [Symbol.dispose](): void {
    this.tcp.destroy();
  }
}
