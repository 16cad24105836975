import type { Invoke, Line, Message, Outcome } from "./lines.ts";

/**
 * Writes a history as Elle and its kin read it: operations of the model *list-append* in EDN. A channel is a key, a send
 * appends the hash of its text, and a page that begins at number 1 and ends at the newest reads the list. Other pages are
 * a part of a list, which the model does not know; they are left out and counted.
 */
export class Elle {
  skipped = 0;
  readonly #write: (line: string) => void;
  readonly #clients = new Map<string, number>();
  readonly #open = new Map<number, Invoke>();
  #index = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  take(line: Line): void {
    if (line.type === "invoke") {
      if (line.f !== "send" && line.f !== "page") return;
      this.#open.set(line.op, line);
      // An invocation is written with its outcome's shape: a page that turns out to be a part is left out whole.
      this.#entry("invoke", line, line.t, line.f === "send" ? append(line) : read(line, "nil"));
      return;
    }
    if (line.type !== "ok" && line.type !== "fail" && line.type !== "unknown") return;
    const invoke = this.#open.get(line.op);
    if (invoke === undefined) return;
    this.#open.delete(line.op);
    this.#end(invoke, line);
  }

  #end(invoke: Invoke, outcome: Outcome): void {
    const { type, t } = outcome;
    if (invoke.f === "send") {
      this.#entry(type === "unknown" ? "info" : type, invoke, t, append(invoke));
      return;
    }
    const list = wholeList(outcome);
    if (type === "ok" && list !== null) {
      this.#entry("ok", invoke, t, read(invoke, list));
      return;
    }
    if (type === "ok") this.skipped += 1;
    // A read that shows nothing constrains nothing.
    this.#entry("fail", invoke, t, read(invoke, "nil"));
  }

  #entry(type: string, { client }: Invoke, t: number, value: string): void {
    const process = this.#clients.get(client) ?? this.#clients.size;
    this.#clients.set(client, process);
    const time = t * 1_000;
    this.#write(
      `{:index ${this.#index++}, :type :${type}, :process ${process}, :time ${time}, :f :txn, :value ${value}}`,
    );
  }
}

const append = ({ channel, hash }: Invoke): string => `[[:append ${channel} "${hash}"]]`;
const read = ({ channel }: Invoke, list: string): string => `[[:r ${channel} ${list}]]`;

function wholeList({ messages = [], more = false, last_seq: newest }: Outcome): string | null {
  const isWhole =
    !more && messages.every(([seq], at) => seq === at + 1) && (newest ?? messages.length) === messages.length;
  return isWhole && messages.every(hasText) ? `[${messages.map(([, , hash]) => `"${hash}"`).join(" ")}]` : null;
}

const hasText = ([, , hash]: Message): boolean => hash !== null;
