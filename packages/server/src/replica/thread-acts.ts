import { OwnThread } from "../base/own-thread.ts";
import { type Act, type ActName, type Input, type Result, threadProgram } from "./thread.ts";

/** The replica's thread. Acts run one after the other, in the order of the calls. */
export class ReplicaThread {
  readonly #thread = new OwnThread<Act, unknown>("replica", threadProgram());
  #last: Promise<unknown> = Promise.resolve();

  act<Name extends ActName>(act: Name, input: Input<Name>): Promise<Result<Name>> {
    const run = () => this.#thread.run({ act, ...input } as Act) as Promise<Result<Name>>;
    const result = this.#last.then(run, run);
    this.#last = result;
    return result;
  }

  end(): void {
    this.#thread.end();
  }
}
