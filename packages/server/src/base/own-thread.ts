/** The worker's reply: the result of an act, or its error. */
type Outcome<Result> = { result: Result } | { message: string; code?: string };

/** The wrapper around the program: one act per message. */
const FRAME = `
self.onmessage = ({ data }) => {
  try {
    postMessage({ result: act(data) });
  } catch (error) {
    postMessage({ message: String(error?.message ?? error), code: error?.code });
  }
};
`;

/**
 * A thread that does one kind of work, one act at a time. Bun's own pool is shared by files, DNS, hashes and pictures.
 * Any of them can fill it and delay the others, so work that requests wait for gets a thread of its own.
 *
 * The program is a text that declares `function act(input)`, because the sources, the bundle and the executable would
 * each look for a file in another place. The thread starts with the first act. While an act runs, the thread keeps the
 * process alive.
 */
export class OwnThread<Input, Result> {
  readonly #name: string;
  readonly #program: string;
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<Result> | undefined;

  constructor(name: string, program: string) {
    this.#name = name;
    this.#program = program;
  }

  /**
   * Starts an act; the previous one must have ended. Rejects with the act's error, including its `code`, or if the
   * thread ends.
   */
  run(input: Input): Promise<Result> {
    if (this.#running !== undefined) throw new Error(`The thread "${this.#name}" runs one task at a time.`);
    const running = Promise.withResolvers<Result>();
    this.#running = running;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(input);
    return running.promise;
  }

  /** Ends the thread and rejects an act in progress. The next act starts a new thread. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#settle({ message: `the thread "${this.#name}" was terminated` });
  }

  #start(): Worker {
    const url = URL.createObjectURL(new Blob([this.#program, FRAME], { type: "text/javascript" }));
    const worker = new Worker(url, { name: this.#name, smol: true });
    worker.onmessage = ({ data }: MessageEvent<Outcome<Result>>) => {
      worker.unref();
      this.#settle(data);
    };
    const onEnd = (message: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      worker.terminate();
      this.#settle({ message });
    };
    worker.onerror = ({ message }) => onEnd(message);
    worker.addEventListener("close", () => onEnd(`the thread "${this.#name}" ended`));
    return worker;
  }

  #settle(outcome: Outcome<Result>): void {
    const running = this.#running;
    this.#running = undefined;
    if ("result" in outcome) running?.resolve(outcome.result);
    else running?.reject(Object.assign(new Error(outcome.message), { code: outcome.code }));
  }
}
