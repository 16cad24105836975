import { join } from "node:path";
import type { Subprocess } from "bun";
import { eventually } from "../../../../packages/server/test/support/servers/test-server.ts";

export const MAIN = join(import.meta.dir, "../../src/main.ts");
export const SCRIPTED = join(import.meta.dir, "scripted-agent.mjs");
/** The example of the library's authors, unmodified. */
export const EXAMPLE = join(import.meta.dir, "../../../../node_modules/acp-example/dist/examples/agent.js");

/** A running `parley-acp`. */
export class Program implements AsyncDisposable {
  readonly child: Subprocess<"ignore", "pipe", "pipe">;
  readonly ended: Promise<number>;
  out = "";
  errors = "";

  constructor(
    args: readonly string[],
    agent: readonly string[] = ["node", SCRIPTED],
    env: Record<string, string> = {},
  ) {
    const child = Bun.spawn([process.execPath, MAIN, ...args, "--", ...agent], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PARLEY_SECRET: "not for the agent", ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.child = child;
    const out = this.#collect(child.stdout, (text) => {
      this.out += text;
    });
    const errors = this.#collect(child.stderr, (text) => {
      this.errors += text;
    });
    this.ended = Promise.all([child.exited, out, errors]).then(([code]) => code);
  }

  async #collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }));
  }

  /** Resolves when the agent answers and the inbox is read. */
  async ready(): Promise<this> {
    await eventually("the program is ready", () => {
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.errors}`);
      return /^READY /m.test(this.out);
    });
    return this;
  }

  /** The process of the agent that was started last. */
  get agentPid(): number {
    return Number([...this.out.matchAll(/^AGENT (\d+)$/gm)].at(-1)?.[1]);
  }

  get receipts(): { interaction_id: number; result: { action_id: string } | null; signed: string }[] {
    return [...this.out.matchAll(/^RECEIPT (.*)$/gm)].map(([, json = ""]) => JSON.parse(json));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}
