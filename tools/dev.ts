/**
 * `npm run dev [arguments of serve]`: runs the server from its sources, and restarts it when a source of the server, the
 * pages, the sdk or the protocol changes. The server bundles the pages after each start. Reload the browser to see a change.
 */
import { watch } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";

const PACKAGES = join(import.meta.dir, "../packages");
const MAIN = join(PACKAGES, "server/src/main.ts");
/** Editors and `git checkout` write several files at once; the server restarts when they are done. */
const QUIET_MS = 100;

/** Runs the server, and restarts it on demand. A server that fails to start is started again at the next change. */
class DevServer {
  readonly #args: readonly string[];
  #process: Subprocess | null = null;
  #restarting: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  start(): void {
    if (this.#isStopping) return;
    const process = Bun.spawn([globalThis.process.execPath, MAIN, "serve", ...this.#args], {
      stdio: ["inherit", "inherit", "inherit"],
    });
    this.#process = process;
    void process.exited.then((code) => {
      if (this.#process !== process) return;
      this.#process = null;
      if (!this.#isStopping) console.error(`The server exited with code ${code}; it restarts at the next change.`);
    });
  }

  /** Concurrent calls run one after the other. */
  restart(): void {
    this.#restarting = this.#restarting.then(async () => {
      await this.#end("SIGTERM");
      this.start();
    });
  }

  /** Stops the server and does not restart it. Returns its exit code. */
  async stop(signal: "SIGINT" | "SIGTERM"): Promise<number> {
    this.#isStopping = true;
    const code = await this.#end(signal);
    await this.#restarting;
    return code;
  }

  async #end(signal: "SIGINT" | "SIGTERM"): Promise<number> {
    const process = this.#process;
    if (process === null) return 0;
    this.#process = null;
    process.kill(signal);
    return process.exited;
  }
}

const server = new DevServer(process.argv.slice(2));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void server.stop(signal).then((code) => process.exit(code)));
}

let timer: ReturnType<typeof setTimeout> | undefined;
for (const name of ["protocol", "sdk", "server", "web"]) {
  watch(join(PACKAGES, name, "src"), { recursive: true }, (_, file) => {
    if (file?.endsWith(".test.ts")) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.error(`Restarting: packages/${name}/src/${file} changed.`);
      server.restart();
    }, QUIET_MS);
  });
}
server.start();
