import { connect, type Socket } from "node:net";
import type { Client } from "../servers/test-server.ts";

const PART = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const END = "\r\n--XX--\r\n";

/** An upload whose bytes a test sends one by one. */
export class SlowUpload implements Disposable {
  readonly #tcp: Socket;
  readonly answer: Promise<string>;
  isAnswered = false;

  constructor(client: Client, network = "127.0.0.1") {
    const { hostname, port } = new URL(client.url);
    const headers = {
      ...client.credential,
      host: hostname,
      "x-forwarded-for": network,
      "content-type": "multipart/form-data; boundary=XX",
      "transfer-encoding": "chunked",
    };
    this.#tcp = connect(Number(port), hostname);
    this.answer = new Promise((resolve) => {
      this.#tcp.once("data", (bytes) => {
        this.isAnswered = true;
        resolve(bytes.toString());
      });
      this.#tcp.on("error", () => {});
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#tcp.write(`POST /api/files HTTP/1.1\r\n${lines.join("")}\r\n`);
    this.send(PART);
  }

  send(text: string): void {
    this.#tcp.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  end(): void {
    this.send(END);
    this.#tcp.write("0\r\n\r\n");
  }

  [Symbol.dispose](): void {
    this.#tcp.destroy();
  }
}
