import { closeSync, openSync, writeSync } from "node:fs";
import type { Fault, Header, Invoke, Line, Message, Outcome } from "../../../../../tools/check-history/lines.ts";

/** Lines are written when so many characters wait, and at the end. */
const BUFFER = 1 << 16;

type Timeless<T> = T extends Line ? Omit<T, "t"> : never;

/**
 * Writes what the clients of a run do and see, for `tools/check-history` (docs/reference/histories.md). One monotonic
 * clock and one process: a line that stands above another one happened before it.
 */
export class HistoryRecorder implements Disposable {
  readonly path: string;
  readonly #file: number;
  #lines = "";
  #ops = 0;

  constructor(path: string, header: Omit<Header, "type" | "version">) {
    this.path = path;
    this.#file = openSync(path, "w");
    this.#add({ type: "history", version: 1, ...header });
  }

  /** Notes a call before its first byte leaves. Returns its number. */
  begin(call: Omit<Invoke, "type" | "op" | "t">): number {
    const op = ++this.#ops;
    this.#addTimed({ type: "invoke", op, ...call });
    return op;
  }

  /** Notes the outcome of a call, after the last byte of its answer. */
  end(op: number, type: Outcome["type"], answer: Omit<Outcome, "type" | "op" | "t"> = {}): void {
    this.#addTimed({ type, op, ...answer });
  }

  /** Notes a message that was pushed to a client. */
  see(client: string, channel: number, [seq, id, hash]: Message): void {
    this.#addTimed({ type: "see", client, channel, seq, id, hash });
  }

  leave(client: string): void {
    this.#addTimed({ type: "leave", client });
  }

  fault(fault: string, at: Fault["at"], node?: string): void {
    this.#addTimed({ type: "fault", fault, at, ...(node === undefined ? {} : { node }) });
  }

  /** Ends the history. Nothing may follow. */
  close(): void {
    this.#addTimed({ type: "end" });
    this.#flush();
  }

  #addTimed(line: Timeless<Exclude<Line, Header>>): void {
    this.#add({ ...line, t: Math.round(performance.now() * 1_000) } as Line);
  }

  #add(line: Line): void {
    this.#lines += `${JSON.stringify(line)}\n`;
    if (this.#lines.length >= BUFFER) this.#flush();
  }

  #flush(): void {
    writeSync(this.#file, this.#lines);
    this.#lines = "";
  }

  [Symbol.dispose](): void {
    this.#flush();
    closeSync(this.#file);
  }
}

/** The hash of a text in a history. Every text of a run must be another one. */
export const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);

/** A message as a history has it. */
export const messageOf = ({ seq, id, content }: { seq: number; id: number; content: string }): Message => [
  seq,
  id,
  hashOf(content),
];
