import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { ProtocolName } from "../load/jobs.ts";
import { pinned, SERVER_CORE } from "../pinning.ts";

const READY_TIMEOUT_MS = 30_000;

/** The running servers. They are killed when the suite ends, for whatever reason. */
const running = new Set<Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

export type ServerName =
  | "parley"
  | "express"
  | "bare-bun"
  | "ws"
  | "nats"
  | "mosquitto"
  | "ejabberd"
  | "prosody"
  | "inspircd";

/** Where a server runs: its folder and its port. */
export interface Place {
  dataDir: string;
  port: number;
}

/** How to start a server under test. */
export interface ServerKind {
  name: ServerName;
  /** The name in messages. */
  title: string;
  protocol: ProtocolName;
  /** What it does not do that Parley does in the same measurement. */
  lacks: readonly string[];
  /** Returns what to install if its program is missing. */
  missing?(): string | null;
  /** Writes its configuration into the folder. */
  configure?(place: Place): void;
  command(dataDir: string): string[];
  env(dataDir: string): Record<string, string>;
  /** True when it takes connections; by default, when `/readyz` answers. */
  isReady?(place: Place): Promise<boolean>;
  /** Resolves when no work of earlier requests is left. */
  settle?(server: RunningServer): Promise<void>;
  /** Returns the cookies of `count` different logged-in users. */
  sessions(server: RunningServer, count: number): Promise<string[]>;
  /** Creates an empty channel and returns its slug. */
  createRoom(server: RunningServer): Promise<string>;
}

export interface StartOptions {
  /** An existing folder, which is kept; by default a fresh one, removed at the end. */
  dataDir?: string;
  command?: string[];
  /** False lets the server use all cores. */
  pinned?: boolean;
}

/** A server under test, in its own process and data folder. */
export class RunningServer implements AsyncDisposable {
  readonly kind: ServerKind;
  readonly port: number;
  readonly dataDir: string;
  /** Milliseconds from spawn to the first successful answer of /readyz. */
  readyMs = 0;
  readonly #child: Subprocess;
  readonly #log: { text: string };
  readonly #keepsData: boolean;

  private constructor(kind: ServerKind, port: number, options: StartOptions) {
    const { dataDir = mkdtempSync(join(tmpdir(), `parley-bench-${kind.name}-`)), command = kind.command(dataDir) } =
      options;
    kind.configure?.({ dataDir, port });
    this.kind = kind;
    this.port = port;
    this.dataDir = dataDir;
    this.#keepsData = options.dataDir !== undefined;
    const log = { text: "" };
    this.#log = log;
    const child = Bun.spawn({
      cmd: options.pinned === false ? command : pinned(SERVER_CORE, command),
      env: { PATH: process.env.PATH ?? "", HOME: dataDir, ...kind.env(dataDir), PORT: String(port) },
      cwd: new URL("../..", import.meta.url).pathname,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) void keepTail(stream, log);
  }

  /** Starts a server and waits until it answers. */
  static async start(kind: ServerKind, options: StartOptions = {}): Promise<RunningServer> {
    const port = freePort();
    const started = performance.now();
    const server = new RunningServer(kind, port, options);
    try {
      await server.#untilReady(started + READY_TIMEOUT_MS);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    server.readyMs = performance.now() - started;
    return server;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get log(): string {
    return this.#log.text;
  }

  async #untilReady(deadline: number): Promise<void> {
    while (performance.now() < deadline) {
      if (this.#child.exitCode !== null) break;
      if (await (this.kind.isReady ?? answersReady)(this)) return;
      await Bun.sleep(1);
    }
    throw new Error(`${this.kind.title} did not become ready:\n${this.log}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 12_000);
    await this.#child.exited;
    running.delete(this.#child);
    clearTimeout(timer);
    if (!this.#keepsData) rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function answersReady({ port }: Place): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function keepTail(stream: ReadableStream<Uint8Array>, log: { text: string }): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) log.text = (log.text + decoder.decode(chunk, { stream: true })).slice(-4000);
}

/** Returns a port that nothing listens on now. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
