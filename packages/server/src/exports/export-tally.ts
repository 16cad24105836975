import { type ImportCounts, noCounts } from "../imports/counts.ts";
import type { LeftOut, LeftOutKind } from "../imports/source.ts";
import { Tally } from "../imports/stage/tally.ts";
import type { StagedLeftOut } from "../imports/stage.ts";

const COUNT_OF: Partial<Record<LeftOutKind, keyof ImportCounts>> = {
  user: "users",
  channel: "channels",
  direct: "channels",
  message: "messages",
  reaction: "reactions",
  pin: "pins",
  file: "files",
  mention: "mentions",
};

/** Counts what an export takes and leaves out, as imports do (protocol §14.0). */
export class ExportTally {
  readonly counts = noCounts();
  readonly #leftOut = new Tally();
  #read = 0;

  /** Messages that were read so far. */
  get read(): number {
    return this.#read;
  }

  reading(messages: number): void {
    this.#read += messages;
  }

  take(name: keyof ImportCounts, times = 1): void {
    this.counts[name].taken += times;
  }

  change(name: keyof ImportCounts): void {
    this.counts[name].changed += 1;
  }

  leaveOut(what: LeftOut): void {
    const count = COUNT_OF[what.kind];
    if (count !== undefined) this.counts[count].left_out += what.times ?? 1;
    this.#leftOut.leaveOut(what);
  }

  get leftOut(): StagedLeftOut[] {
    return this.#leftOut.leftOut;
  }
}
