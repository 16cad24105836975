import type { Invoke, Outcome, Seen } from "./lines.ts";
import type { Order } from "./order.ts";
import type { Problems } from "./problems.ts";

/** How far one client has read one channel. */
interface Position {
  last: number;
  epoch: string;
}

/** Judges the pages, joins, resumes and pushes of each client. */
export class Readers {
  readonly #problems: Problems;
  readonly #positions = new Map<string, Position>();
  /** How far each node was read at the end, by node and channel. */
  readonly #read = new Map<string, number>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** Takes a page that was asked for when `floor` was shown already. */
  page(asked: Invoke, { messages = [], more = false, last_seq: newest }: Outcome, order: Order, floor: number): void {
    const { client, node = "", channel = 0, after, final = false } = asked;
    const by = `A page of ${client} from ${node}`;
    const last = order.placeRun(messages, after, by) ?? newest ?? 0;
    if (!more && Math.max(last, newest ?? 0) < floor)
      this.#problems.add("stale", `${by} ended with ${last}, but ${floor} was there before.`);
    if (!more && newest !== undefined && last < newest)
      this.#problems.add("gap", `${by} ended with ${last} of ${newest}, and called it all.`);
    if (newest !== undefined && newest > order.floor) order.floor = newest;
    if (!final) return;
    const place = `${node} ${channel}`;
    if ((after ?? 0) !== (this.#read.get(place) ?? 0))
      this.#problems.add("history", `The full read of channel ${channel} on ${node} does not go on at ${after}.`);
    this.#read.set(place, last);
  }

  /** Takes the answer to a join or a resume. */
  join(asked: Invoke, answer: Outcome, order: Order, floor: number): void {
    const { client, channel = 0, after } = asked;
    const { last_seq: newest = 0, epoch = "", recovered, messages = [] } = answer;
    const by = `${client} on ${asked.node ?? "its node"}`;
    if (newest < floor) this.#problems.add("stale", `${by} joined at ${newest}, but ${floor} was there before.`);
    const before = this.#positions.get(`${client} ${channel}`);
    if (after !== undefined && recovered === undefined)
      this.#problems.add("resume", `${by} came back to ${after}, and was not told whether it missed something.`);
    if (recovered === true) {
      const last = order.placeRun(messages, after, `The resume of ${by}`);
      if (last !== newest)
        this.#problems.add("resume", `${by} came back to ${after}, and was shown ${last} of ${newest}.`);
      if (before !== undefined && before.epoch !== epoch)
        this.#problems.add("resume", `${by} came back to another epoch, and was told that it missed nothing.`);
    }
    if (newest > order.floor) order.floor = newest;
    this.#positions.set(`${client} ${channel}`, { last: newest, epoch });
  }

  /** Takes a push: the next number of the channel for this client. */
  see({ client, channel, seq, id, hash }: Seen, order: Order): void {
    const position = this.#positions.get(`${client} ${channel}`);
    if (position === undefined) {
      this.#problems.add("history", `${client} sees messages and has not joined.`);
      return;
    }
    if (seq === position.last + 1) position.last = seq;
    else if (seq > position.last) {
      this.#problems.add("gap", `${client} was pushed number ${seq} after ${position.last}.`);
      position.last = seq;
    } else
      this.#problems.add("doubled", `${client} was pushed number ${seq} again, or late: it is at ${position.last}.`);
    order.place([seq, id, hash], client);
  }

  /** Judges whether every node was read whole. */
  conclude(nodes: readonly string[], orders: ReadonlyMap<number, Order>): void {
    for (const [channel, { floor }] of orders) {
      for (const node of nodes) {
        const read = this.#read.get(`${node} ${channel}`) ?? 0;
        if (read < floor)
          this.#problems.add("history", `Channel ${channel} was read on ${node} up to ${read} of ${floor}.`);
      }
    }
  }
}
