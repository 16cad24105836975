import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Subprocess, which } from "bun";
import { freePort } from "./child-server.ts";
import { eventually } from "./test-server.ts";

const PROGRAM = which("redis-server") ?? which("valkey-server");

/** A real Redis server in its own process, without persistence. Its port outlives the process. */
export class RedisServer implements AsyncDisposable {
  readonly port = freePort();
  readonly #password: string | undefined;
  readonly #options: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), "parley-redis-"));
  #process: Subprocess | undefined;

  private constructor(options: readonly string[], password: string | undefined) {
    this.#options = options;
    this.#password = password;
  }

  /** Starts a server. `options` are further arguments of redis-server, such as `--maxmemory 1mb`. */
  static async start({ password, options = [] }: { password?: string; options?: readonly string[] } = {}) {
    const server = new RedisServer(options, password);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://${this.#password === undefined ? "" : `:${this.#password}@`}127.0.0.1:${this.port}`;
  }

  /** Starts the server again after `stop`, with no data. */
  async start(): Promise<void> {
    if (PROGRAM === null) throw new Error("redis-server is not installed.");
    const secret = this.#password === undefined ? [] : ["--requirepass", this.#password];
    this.#process = Bun.spawn(
      [PROGRAM, "--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--dir", this.#folder].concat(
        ["--maxmemory-policy", "noeviction"],
        secret,
        this.#options,
      ),
      { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    );
    await eventually("Redis answers", () =>
      this.command("PING").then(
        () => true,
        () => false,
      ),
    );
  }

  /** Ends the server at once, as a crash does. */
  async stop(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
  }

  /** Stops the process without closing its connections. */
  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  /** The id of the process, to read its CPU time. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Sends a command over its own connection. */
  async command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Bun.RedisClient(this.url, { autoReconnect: false, connectionTimeout: 2_000 });
    try {
      await client.connect();
      return await client.send(name, args);
    } finally {
      client.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.stop();
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true, force: true });
  }
}
