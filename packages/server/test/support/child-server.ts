import { join } from "node:path";
import type { Subprocess } from "bun";
import { eventually } from "./test-server.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

/** A server in a process of its own, on a port and folder that outlive it: to be killed and started again. */
export class ChildServer implements AsyncDisposable {
  readonly url: string;
  readonly #environment: Record<string, string>;
  #process: Subprocess<"ignore", "pipe", "pipe"> | undefined;

  constructor(dataDir: string, port: number, env: Record<string, string> = {}) {
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

  /** Starts it and waits until it is ready, or answers on another path. */
  async start(path = "/readyz"): Promise<void> {
    const child = this.spawn();
    this.#process = child;
    await eventually("the server is ready", async () => {
      if (child.exitCode !== null) throw new Error(`The server ended: ${await new Response(child.stderr).text()}`);
      return fetch(this.url + path).then(
        (response) => response.ok,
        () => false,
      );
    });
  }

  /** Starts it without waiting for anything. */
  spawn(): Subprocess<"ignore", "pipe", "pipe"> {
    return Bun.spawn([process.execPath, MAIN, "serve"], {
      env: this.#environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  /** Sends a signal and waits for the end; gives back the exit code (null: ended by the signal). */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined) return null;
    child.kill(signal);
    await child.exited;
    if (this.#process === child) this.#process = undefined;
    return child.exitCode;
  }

  /** Sends a signal and does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Runs a command of the command line beside it; gives back what it wrote. */
  async command(...words: string[]): Promise<string> {
    const child = Bun.spawn([process.execPath, MAIN, ...words], {
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

/** A port that was free a moment ago. */
export function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = probe;
  probe.stop(true);
  if (port === undefined) throw new Error("No port could be had.");
  return port;
}
