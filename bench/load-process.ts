import type { Subprocess } from "bun";
import type { Answer, Job, JobResults } from "./load/jobs.ts";
import { LOAD_CORE, pinned } from "./pinning.ts";

/** The process that generates the load, on its own core if there are two. */
export class LoadProcess implements AsyncDisposable {
  readonly #child: Subprocess<"ignore", "inherit", "inherit">;
  #pending: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  constructor() {
    this.#child = Bun.spawn({
      cmd: pinned(LOAD_CORE, [process.execPath, new URL("load/main.ts", import.meta.url).pathname]),
      stdio: ["ignore", "inherit", "inherit"],
      serialization: "json",
      ipc: (message) => {
        this.#pending?.resolve(message as Answer);
        this.#pending = null;
      },
      onExit: (_child, code) => {
        this.#pending?.reject(new Error(`the load process exited with ${code}`));
        this.#pending = null;
      },
    });
  }

  async run<K extends Job["kind"]>(job: Extract<Job, { kind: K }>): Promise<JobResults[K]> {
    if (this.#pending) throw new Error("the load process runs one job at a time");
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#pending = { resolve, reject };
    this.#child.send(job);
    const answer = await promise;
    if (!answer.ok) throw new Error(`load: ${answer.error}`);
    return answer.result as JobResults[K];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }
}
