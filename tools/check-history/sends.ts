import { bytes, HashTable, halvesOf, hashOfText, integers } from "./hash-table.ts";
import type { Invoke, Outcome } from "./lines.ts";
import type { Problems } from "./problems.ts";

/** An attempt was made whose effect nobody knows, or knows yet. */
const IS_OPEN = 1;
/** An attempt was refused. */
const WAS_REFUSED = 2;

/** Judges what became of each message that a client sent. A message is its channel and the hash of its text. */
export class Sends {
  readonly #problems: Problems;
  readonly #all = new HashTable();
  readonly #flags = bytes();
  /** The number that an acknowledgement gave. */
  readonly #acked = integers();
  /** The number under which a reader saw it. */
  readonly #shown = integers();
  /** The highest number that anybody had seen when the first attempt began: the message must come after it. */
  readonly #floors = integers();
  readonly #keys = new HashTable();
  /** The message of each key, plus 1. */
  readonly #ofKey = integers();
  acknowledged = 0;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** Takes an attempt before its outcome. `floor`: what its channel has shown so far. Returns whether it is the first. */
  begin({ channel = 0, hash = "" }: Invoke, floor: number): boolean {
    const before = this.#all.count;
    const at = this.#all.add([channel, ...halvesOf(hash)]);
    this.#flags.set(at, this.#flags.get(at) | IS_OPEN);
    if (at === before) this.#floors.set(at, floor);
    return at === before;
  }

  /** Takes the refusal of an attempt. `others`: further attempts of the message that are open. */
  refuse({ channel = 0, hash = "" }: Invoke, others: boolean): void {
    const at = this.#all.find([channel, ...halvesOf(hash)]);
    this.#flags.set(at, (others ? this.#flags.get(at) : this.#flags.get(at) & ~IS_OPEN) | WAS_REFUSED);
  }

  /** Takes an acknowledgement. */
  acknowledge(send: Invoke, { seq = 0, repeated = false }: Outcome, isFirst: boolean): void {
    const { client, channel = 0, hash = "", key } = send;
    const at = this.#all.find([channel, ...halvesOf(hash)]);
    const before = this.#acked.get(at);
    const what = `message ${hash} of ${client}`;
    if (before === 0) {
      this.#acked.set(at, seq);
      this.acknowledged += 1;
    } else if (before !== seq)
      this.#problems.add("doubled", `The ${what} was acknowledged as ${before} and as ${seq}.`);
    if (repeated && isFirst) this.#problems.add("key", `The ${what} was new, and called known.`);
    if (key === undefined) return;
    const number = this.#keys.add([channel, ...hashOfText(`${client} ${key}`)]);
    const other = this.#ofKey.get(number);
    if (other === 0) this.#ofKey.set(number, at + 1);
    else if (other !== at + 1) this.#problems.add("key", `The key ${key} of ${client} has two messages.`);
  }

  /** Takes a message that a reader saw first under this number. */
  shown(channel: number, hash: string, seq: number): void {
    const at = this.#all.find([channel, ...halvesOf(hash)]);
    if (at === -1) return;
    const before = this.#shown.get(at);
    if (before === 0) this.#shown.set(at, seq);
    else if (before !== seq)
      this.#problems.add("doubled", `The message ${hash} is number ${before} and number ${seq}.`);
  }

  /** Judges every message, once all nodes were read whole. */
  conclude(): void {
    for (let at = 0; at < this.#all.count; at += 1) {
      const [acked, shown, floor] = [this.#acked.get(at), this.#shown.get(at), this.#floors.get(at)];
      const seq = acked === 0 ? shown : acked;
      if (seq !== 0 && seq <= floor)
        this.#problems.add("order", `A message was sent after number ${floor} was shown, and is number ${seq}.`);
      if (acked !== 0 && shown !== acked)
        this.#problems.add("lost", `A message was acknowledged as number ${acked}, and ${where(shown)}.`);
      const isRefused = (this.#flags.get(at) & (IS_OPEN | WAS_REFUSED)) === WAS_REFUSED;
      if (isRefused && acked === 0 && shown !== 0)
        this.#problems.add("ghost", `A message was refused, and is number ${shown}.`);
    }
  }
}

const where = (seq: number): string => (seq === 0 ? "is nowhere" : `is number ${seq}`);
