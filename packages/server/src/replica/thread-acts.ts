import { OwnThread } from "../base/own-thread.ts";
import { systemClock } from "../clock.ts";
import { chainLog } from "./chain-log.ts";
import { walChecksum } from "./format.ts";
import { BEGINNING } from "./spool.ts";
import { type Act, type ActName, type Input, type Result, replicaThread, SIZES } from "./thread.ts";

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

/** Returns the program for an `OwnThread`. */
export const threadProgram = (): string => `
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import * as files from "node:fs";
const sizes = ${JSON.stringify(SIZES)};
const now = ${systemClock.now};
const shared = { files, hasher: createHash, checksum: ${walChecksum}, sizes };
const ChainLog = (${chainLog})(shared);
const act = (${replicaThread})({ ...shared, SqliteDatabase: Database, now, ChainLog, beginning: ${JSON.stringify(BEGINNING)} });
`;
