import type { Receipt } from "@parley/sdk";
import type { StateFolder } from "./state-folder.ts";

const FILE = "receipts.jsonl";

/** The receipts of all questions that ended, one a line, in the order in which they were read. */
export class Receipts {
  readonly #folder: StateFolder;
  readonly #print: (line: string) => void;
  readonly #kept = new Set<number>();
  /** Ends a line that a crash has cut. */
  #before: string;

  constructor(folder: StateFolder, print: (line: string) => void) {
    this.#folder = folder;
    this.#print = print;
    const lines = folder.lines(FILE);
    this.#before = (lines.at(-1) ?? "") === "" ? "" : "\n";
    for (const line of lines) {
      const id = idIn(line);
      if (id !== null) this.#kept.add(id);
    }
  }

  /** Stores the receipt of a question once. It is on the disk before the agent hears of the answer. */
  keep(interactionId: number, receipt: Receipt): void {
    if (this.#kept.has(interactionId)) return;
    this.#kept.add(interactionId);
    const line = JSON.stringify({ interaction_id: interactionId, ...receipt });
    this.#folder.append(FILE, `${this.#before}${line}\n`);
    this.#before = "";
    this.#print(`RECEIPT ${line}`);
  }
}

function idIn(line: string): number | null {
  try {
    const { interaction_id } = JSON.parse(line) as { interaction_id?: unknown };
    return typeof interaction_id === "number" ? interaction_id : null;
  } catch {
    // A line that a crash has cut; the receipt can be read from the server again.
    return null;
  }
}
