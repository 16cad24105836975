import type { Subprocess } from "bun";
import type { Answer, Job, JobResults } from "./load/jobs.ts";
import { LOAD_CORE, pinned } from "./pinning.ts";

/** The process that generates the load, on its own core if there are two. */
export class LoadProcess implements AsyncDisposable {
  readonly #child: Subprocess<"ignore", "inherit", "inherit">;
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  constructor() {
    this.#child = Bun.spawn({
      cmd: pinned(LOAD_CORE, [process.execPath, new URL("load/main.ts", import.meta.url).pathname]),
      stdio: ["ignore", "inherit", "inherit"],
      serialization: "json",
      ipc: (message) => {
        this.#waiting?.resolve(message as Answer);
        this.#waiting = null;
      },
      onExit: (_child, code) => {
        this.#waiting?.reject(new Error(`the load process ended (${code})`));
        this.#waiting = null;
      },
    });
  }

  async run<K extends Job["kind"]>(job: Extract<Job, { kind: K }>): Promise<JobResults[K]> {
    if (this.#waiting) throw new Error("the load process does one job at a time");
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting = { resolve, reject };
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
