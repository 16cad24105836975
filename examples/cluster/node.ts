import { createServer } from "node:net";
import { join } from "node:path";
import type { Subprocess } from "bun";

const MAIN = join(import.meta.dir, "../../packages/server/src/main.ts");
/** Longer than a node needs to drain. */
const STOP_MS = 12_000;
/** Lines of the log begin with a time. The rest of the standard output is for a developer with one server. */
const A_TIME = /^\d\d:\d\d:\d\d/;

/** A server in a process of its own. Prints its warnings with its name. */
export class Node implements AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly #process: Subprocess<"ignore", "pipe", "pipe">;

  constructor(name: string, port: number, folder: string, env: Record<string, string>) {
    this.name = name;
    this.port = port;
    this.#process = Bun.spawn([process.execPath, MAIN, "serve"], {
      cwd: folder,
      // Passes only the given variables, so that the settings of a real server have no effect.
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        HOST: "127.0.0.1",
        PORT: String(port),
        PARLEY_NODE_NAME: name,
        PARLEY_DATA_DIR: join(folder, name),
        PARLEY_LOG_LEVEL: "warn",
        // The demo uses no network.
        PARLEY_BLUESKY_API_URL: "off",
        ...env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    void this.#print(this.#process.stdout, (line) => A_TIME.test(line));
    void this.#print(this.#process.stderr, () => true);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<number> {
    return this.#process.exited;
  }

  async #print(stream: ReadableStream<Uint8Array>, isShown: (line: string) => boolean): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter(isShown)) console.log(`${this.name}  ${line}`);
    }
  }

  /** Drains the node, and kills it if that takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

/** Below the ports that the kernel gives to outgoing connections, which could take one before a node has it. */
const PORTS = { first: 20_000, count: 12_000 };

/** Returns different ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
