import { join } from "node:path";
import type { Subprocess } from "bun";
import { serverMain } from "./server-main.ts";
import { eventually } from "./test-server.ts";

/** A program that shares its PostgreSQL with other servers (shared-server.ts). */
export const SHARED = join(import.meta.dir, "shared-server.ts");

/**
 * A server in its own process. Its port and folder outlive the process, so that a test can kill it and start it again.
 */
export class ChildServer implements AsyncDisposable {
  readonly url: string;
  readonly #around: readonly string[];
  readonly #environment: Record<string, string>;
  readonly #main: string;
  #process: Subprocess<"ignore", "pipe", "pipe"> | undefined;

  /**
   * `main` replaces the program of the server. `around` is a command that runs another one, such as strace with its
   * options.
   */
  constructor(
    dataDir: string,
    port: number,
    env: Record<string, string> = {},
    { main = serverMain(), around = [] }: { main?: string; around?: readonly string[] } = {},
  ) {
    this.#main = main;
    this.#around = around;
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      PORT: String(port),
      PARLEY_DATA_DIR: dataDir,
      PARLEY_LOG_LEVEL: "warn",
      ...env,
    };
  }

  /** Starts the server and waits until it is ready, or until it answers on another path. */
  async start(path = "/readyz"): Promise<void> {
    const child = this.spawn();
    this.#process = child;
    const isReady = async () => {
      if (hasEnded(child)) throw new Error(`The server ended: ${await new Response(child.stderr).text()}`);
      return fetch(this.url + path).then(
        (response) => response.ok,
        () => false,
      );
    };
    await eventually("the server is ready", isReady);
  }

  /** Starts the server without waiting. */
  spawn(): Subprocess<"ignore", "pipe", "pipe"> {
    return Bun.spawn([...this.#around, process.execPath, this.#main, "serve"], {
      env: this.#environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  /** Sends a signal and waits for the end. Returns the exit code; null if the signal ended the process. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined) return null;
    child.kill(signal);
    await child.exited;
    if (this.#process === child) this.#process = undefined;
    return child.exitCode;
  }

  /** Waits until the server ends by itself. Returns the exit code. */
  async ended(): Promise<number | null> {
    const child = this.#process;
    this.#process = undefined;
    return child === undefined ? null : child.exited;
  }

  /** Whether the process that was started last still runs. */
  get isRunning(): boolean {
    return this.#process !== undefined && !hasEnded(this.#process);
  }

  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Runs a Parley command in the folder of the server. Returns its output. */
  async command(...words: string[]): Promise<string> {
    const child = Bun.spawn([process.execPath, serverMain(), ...words], {
      env: this.#environment,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${err}`);
    return out;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}

/** True also after a signal, which leaves no exit code. */
const hasEnded = ({ exitCode, signalCode }: Subprocess): boolean => exitCode !== null || signalCode !== null;

/**
 * A range below the ports that the kernel assigns to connections and to programs that ask for any port
 * (ip_local_port_range, from 32768).
 */
const PORTS = { first: 16_000, count: 16_000 };

/** Returns a port that was free a moment ago. The kernel gives it to no other test while the server is down. */
export function freePort(): number {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (isFree(port)) return port;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.serve({ port, hostname: "127.0.0.1", reusePort: false, fetch: () => new Response() }).stop(true);
    return true;
  } catch {
    return false;
  }
}
