import type { Socket } from "bun";
import { clientFrame, FrameParser } from "./frame-parser.ts";
import type { JoinJob, OpenJob } from "./jobs.ts";
import { parley } from "./protocols/parley.ts";
import type { FrameKind, Protocol, Report } from "./protocols/protocol.ts";
import { protocols } from "./protocols/protocols.ts";

const OPEN_TIMEOUT_MS = 60_000;
/** A room of XMPP tells each newcomer of everybody else: 250,000 stanzas for 500. */
const JOIN_TIMEOUT_MS = 120_000;
const decoder = new TextDecoder();

/** One WebSocket over a raw TCP socket. */
export class Client {
  readonly index: number;
  readonly probe: boolean;
  readonly parser: FrameParser<Client>;
  socket: Socket<Client> | null = null;
  phase: "handshake" | "login" | "open" | "closed" = "handshake";
  deliveries = 0;
  acks = 0;
  /** For a probe: the last sequence number seen, 0 before the first. */
  lastSeq = 0;
  /** The last number online that this socket received. */
  online = 0;
  handshake = "";
  /** Joined, and not confirmed by the server yet. */
  isJoining = false;
  /** What is left to send until the socket is logged in. */
  login: Uint8Array[];

  constructor(index: number, probe: boolean, protocol: Protocol) {
    this.index = index;
    this.probe = probe;
    this.parser = new FrameParser<Client>(probe ? Number.POSITIVE_INFINITY : protocol.peek);
    this.login = [...protocol.login(index)];
  }
}

/** The open sockets of the load process and their counters. */
export class SocketPool {
  readonly clients: Client[] = [];
  readonly faults: string[] = [];
  protocol: Protocol = parley;
  deliveries = 0;
  acks = 0;
  bytes = 0;
  lastFrameAt = 0;
  /** Called after each chunk, once all its frames are counted. */
  onChunk: ((client: Client) => void) | null = null;
  /** True if online lists are parsed too. */
  readLists = false;
  #ready = 0;
  #joined = 0;
  #onReady: (() => void) | null = null;

  async open(job: OpenJob): Promise<{ opened: number }> {
    this.protocol = protocols[job.protocol];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const target = this.#ready + job.cookies.length;
    let next = 0;
    const openNext = (): void => {
      const cookie = job.cookies[next];
      if (cookie === undefined) return;
      next += 1;
      this.#connect(job, cookie, next - 1 < job.probes).catch(reject);
    };
    this.#onReady = () => {
      if (this.#ready === target) resolve();
      else openNext();
    };
    for (let i = 0; i < job.concurrency; i += 1) openNext();
    const timer = setTimeout(
      () => reject(new Error(`only ${this.#ready} of ${target} sockets opened. ${this.faults.slice(0, 3).join("; ")}`)),
      OPEN_TIMEOUT_MS,
    );
    await promise.finally(() => clearTimeout(timer));
    this.#onReady = null;
    return { opened: job.cookies.length };
  }

  async #connect(job: OpenJob, cookie: string | null, probe: boolean): Promise<void> {
    const client = new Client(this.clients.length, probe && this.protocol.data !== undefined, this.protocol);
    this.clients.push(client);
    client.socket = await Bun.connect<Client>({
      hostname: "127.0.0.1",
      port: job.port,
      data: client,
      socket: {
        binaryType: "uint8array",
        open: (socket) => {
          socket.setNoDelay(true);
          socket.write(handshake(this.protocol, job.port, cookie));
        },
        data: (socket, chunk) => {
          this.bytes += chunk.length;
          const owner = socket.data;
          if (owner.phase === "handshake") this.#shake(owner, chunk, socket);
          else owner.parser.parse(chunk, owner, this.#onFrame);
          this.onChunk?.(owner);
        },
        close: (socket) => this.#lost(socket.data),
        error: (_socket, error) => {
          this.faults.push(`socket ${client.index}: ${error.message}`);
        },
      },
    });
  }

  #shake(client: Client, chunk: Uint8Array, socket: Socket<Client>): void {
    client.handshake += Buffer.from(chunk).toString("latin1");
    const end = client.handshake.indexOf("\r\n\r\n");
    if (end < 0) return;
    if (!client.handshake.startsWith("HTTP/1.1 101")) {
      this.faults.push(`handshake refused: ${client.handshake.slice(0, 600)}`);
      socket.end();
      return;
    }
    const rest = Buffer.from(client.handshake.slice(end + 4), "latin1");
    client.handshake = "";
    client.socket = socket;
    client.phase = "login";
    this.#logInFurther(client);
    if (rest.length > 0) client.parser.parse(rest, client, this.#onFrame);
  }

  /** Sends the next part of the login; without any, the socket is ready at once. */
  #logInFurther(client: Client): void {
    const part = client.login.shift();
    if (part === undefined) this.#opened(client);
    else this.sendTo(client, part);
  }

  #opened(client: Client): void {
    client.phase = "open";
    this.#ready += 1;
    this.#onReady?.();
  }

  #lost(client: Client): void {
    if (client.phase === "closed") return;
    if (client.phase === "open") this.faults.push(`socket ${client.index} was closed by the server`);
    client.phase = "closed";
  }

  /** The frame that is being read, and whose it is. */
  #client: Client | null = null;
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  #length = 0;

  #onFrame = (client: Client, opcode: number, bytes: Uint8Array, start: number, length: number): void => {
    if (opcode > 2) {
      this.#control(client, opcode, bytes, start, length);
      return;
    }
    this.#client = client;
    this.#bytes = bytes;
    this.#start = start;
    this.#length = length;
    this.protocol.read(bytes, start, length, this.#report);
  };

  #report: Report = (kind, texts) => {
    const client = this.#client;
    if (client === null) return;
    if (client.isJoining && kind === this.protocol.joinedBy) {
      client.isJoining = false;
      this.#joined += 1;
      if (kind === "delivery") return;
    }
    if (kind === "delivery") {
      const count = texts?.length ?? 1;
      client.deliveries += count;
      this.deliveries += count;
      if (client.probe) for (const text of texts ?? [this.#text()]) this.#check(client, text);
      return;
    }
    this.lastFrameAt = performance.now();
    if (client.phase === "login") this.#loggingIn(client, kind);
    else if (kind === "ack") this.#acknowledged(client);
    else if (kind === "list" && this.readLists)
      client.online = countIn(this.#bytes, this.#start, this.#length) ?? client.online;
    if (kind === "ping") client.socket?.write(this.protocol.pong);
    else if (kind === "error") this.faults.push(`error frame: ${this.#text()}`);
  };

  #loggingIn(client: Client, kind: FrameKind): void {
    if (kind === "next") this.#logInFurther(client);
    else if (kind === "ready" || kind === "ack") this.#opened(client);
  }

  /** Returns the bytes of this frame that have arrived, as text. */
  #text(): string {
    return decoder.decode(this.#bytes.subarray(this.#start, this.#start + this.#length));
  }

  #control(client: Client, opcode: number, bytes: Uint8Array, start: number, length: number): void {
    if (opcode === 9) client.socket?.write(clientFrame(10, bytes.slice(start, Math.min(start + length, bytes.length))));
    if (opcode === 8) {
      const code = length >= 2 ? ((bytes[start] as number) << 8) | (bytes[start + 1] as number) : 1005;
      this.faults.push(`socket ${client.index}: close frame ${code}`);
    }
  }

  /** Checks a probe's frame: each sequence number must follow the previous one. */
  #check(client: Client, frame: string): void {
    const data = this.protocol.data?.(frame) as { seq: number };
    if (client.lastSeq !== 0 && data.seq !== client.lastSeq + 1) {
      this.faults.push(`probe ${client.index}: seq ${data.seq} after ${client.lastSeq}`);
    }
    client.lastSeq = data.seq;
  }

  #acknowledged(client: Client): void {
    client.acks += 1;
    this.acks += 1;
    if (!client.probe) return;
    const data = this.protocol.data?.(this.#text()) as { success?: boolean };
    if (data.success !== true) this.faults.push(`refused: ${this.#text().slice(0, 300)}`);
  }

  sendTo(client: Client, frame: Uint8Array): void {
    const written = client.socket?.write(frame) ?? 0;
    if (written !== frame.length) this.faults.push(`socket ${client.index}: wrote ${written} of ${frame.length} bytes`);
  }

  async join(job: JoinJob): Promise<{ joined: number }> {
    const { clients, protocol } = this;
    this.#joined = 0;
    // In batches, as in practice. The join storm is a separate scenario.
    for (let at = 0; at < clients.length; at += 250) {
      const portion = clients.slice(at, at + 250);
      for (const client of portion) {
        client.isJoining = true;
        this.sendTo(client, protocol.join(job.room, false, client.index));
      }
      await this.until(
        () => this.#joined >= at + portion.length,
        JOIN_TIMEOUT_MS,
        () => `joined ${this.#joined} of ${clients.length}`,
      );
    }
    await this.quiet(600);
    return { joined: clients.length };
  }

  /** Waits until nothing but deliveries has arrived for `ms`. */
  async quiet(ms: number): Promise<void> {
    this.lastFrameAt = performance.now();
    await this.until(() => performance.now() - this.lastFrameAt > ms, 30_000, "the sockets never became quiet");
  }

  /** Waits until `done`, or throws after `timeoutMs`; `what` then says what is missing. */
  async until(done: () => boolean, timeoutMs: number, what: string | (() => string)): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!done()) {
      if (performance.now() > deadline) {
        throw new Error(`timeout: ${typeof what === "string" ? what : what()}. ${this.faults.slice(0, 3).join("; ")}`);
      }
      await Bun.sleep(2);
    }
  }

  async close(): Promise<{ closed: number }> {
    const closed = this.clients.length;
    for (const client of this.clients) {
      client.phase = "closed";
      client.socket?.end();
    }
    this.clients.length = 0;
    this.faults.length = 0;
    this.#ready = 0;
    this.onChunk = null;
    this.readLists = false;
    await Bun.sleep(200);
    return { closed };
  }
}

function handshake({ path, headers = [] }: Protocol, port: number, cookie: string | null): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
    ...(cookie === null ? [] : [`Cookie: ${cookie}`]),
    "\r\n",
  ].join("\r\n");
}

/** Returns the `count` of an online list, which is near its start. */
function countIn(bytes: Uint8Array, start: number, length: number): number | null {
  const head = decoder.decode(bytes.subarray(start, start + Math.min(length, 200)));
  const match = /"count":(\d+)/.exec(head);
  return match ? Number(match[1]) : null;
}
