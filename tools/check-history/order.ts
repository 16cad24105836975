import { doubles, halvesOf, integers } from "./hash-table.ts";
import type { Message } from "./lines.ts";
import type { Problems } from "./problems.ts";
import type { Sends } from "./sends.ts";

/** The one order of a channel, as all clients together have seen it. */
export class Order {
  /** The highest number that an answer or a push has shown so far. */
  floor = 0;
  readonly #ids = doubles();
  readonly #high = integers();
  readonly #low = integers();
  readonly #channel: number;
  readonly #sends: Sends;
  readonly #problems: Problems;

  constructor(channel: number, sends: Sends, problems: Problems) {
    this.#channel = channel;
    this.#sends = sends;
    this.#problems = problems;
  }

  /** Takes a message that somebody saw under a number: everybody must see the same one there. */
  place([seq, id, hash]: Message, by: string): void {
    if (seq > this.floor) this.floor = seq;
    const known = this.#ids.get(seq);
    if (known === 0) this.#ids.set(seq, id);
    else if (known !== id) this.#problems.add("moved", `${by} saw message ${id} as number ${seq}; it was ${known}.`);
    if (hash === null) return;
    const [high, low] = halvesOf(hash);
    const isNew = this.#high.get(seq) === 0 && this.#low.get(seq) === 0;
    if (isNew) {
      this.#high.set(seq, high);
      this.#low.set(seq, low);
      this.#sends.shown(this.#channel, hash, seq);
    } else if (this.#high.get(seq) !== high || this.#low.get(seq) !== low)
      this.#problems.add("moved", `${by} saw another text as number ${seq}.`);
  }

  /** Takes messages that must follow one another without a gap. Returns the last number; `after` if there are none. */
  placeRun(messages: readonly Message[], after: number | undefined, by: string): number | undefined {
    let last = after;
    for (const message of messages) {
      if (last !== undefined && message[0] !== last + 1)
        this.#problems.add("gap", `${by} was shown number ${message[0]} after ${last}.`);
      last = message[0];
      this.place(message, by);
    }
    return last;
  }
}
