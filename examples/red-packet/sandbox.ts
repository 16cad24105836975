import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";

/** Longer than a server may take to finish pending work. */
const STOP_TIMEOUT_MS = 12_000;

/** The number of characters of a program's output that are reported if it exits. */
const KEPT_OUTPUT = 4_000;

type Child = Subprocess<"ignore", "pipe", "pipe">;

/** A temporary folder and the programs of one run. Disposing of it stops the programs and removes the folder. */
export class Sandbox implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "parley-red-packet-"));
  readonly #children: Child[] = [];
  readonly #broken = Promise.withResolvers<never>();
  #isClosed = false;

  constructor() {
    // Prevents an unhandled rejection if nobody awaits it.
    this.#broken.promise.catch(() => {});
  }

  /** Rejects when a program exits that should keep running. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  /** Starts a program that keeps running, and waits for the expected output. Throws if it exits before. */
  async start(command: readonly string[], env: Record<string, string>, wanted: RegExp): Promise<RegExpExecArray> {
    const child = this.#spawn(command, env);
    const errors = new Response(child.stderr).text();
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const read = async (): Promise<void> => {
      let output = "";
      // Reads the output to its end even after the expected line: a closed pipe would stop the program.
      for await (const chunk of child.stdout) {
        output += new TextDecoder().decode(chunk);
        const match = wanted.exec(output);
        if (match !== null) resolve(match);
        output = output.slice(-KEPT_OUTPUT);
      }
      throw new Error(`${command.join(" ")} exited: …${output}${await errors}`);
    };
    read().catch((error) => {
      reject(error);
      this.#broken.reject(error);
    });
    return promise;
  }

  /** Runs a program to its end; returns its output. Throws unless it succeeds. */
  async run(command: readonly string[], env: Record<string, string>): Promise<string> {
    const child = this.#spawn(command, env);
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${out}${errors}`);
    return out;
  }

  #spawn(command: readonly string[], env: Record<string, string>): Child {
    if (this.#isClosed) throw new Error("The sandbox is closed.");
    // Passes only the given variables, so that the settings of a real server, here or in an .env file, have no effect.
    const own = { PATH: process.env.PATH ?? "", HOME: this.folder, TMPDIR: this.folder, ...env };
    const child = Bun.spawn([...command], {
      cwd: this.folder,
      env: process.platform === "win32" ? { SystemRoot: process.env.SystemRoot ?? "", TEMP: this.folder, ...own } : own,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#children.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // In reverse order: a later program may depend on an earlier one.
    for (const child of this.#children.toReversed()) await stop(child);
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function stop(child: Child): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await child.exited;
  clearTimeout(timer);
}
