import { Inboxes } from "./inboxes.ts";
import { BadLine, type Fault, type Invoke, type Line, type Outcome, parseLine, type Seen } from "./lines.ts";
import { Money } from "./money.ts";
import { Order } from "./order.ts";
import { Problems } from "./problems.ts";
import { Readers } from "./readers.ts";
import { Rights } from "./rights.ts";
import { Sends } from "./sends.ts";

/** A call that has no outcome yet. */
interface Open {
  invoke: Invoke;
  /** The highest number of the channel that anybody had seen when the call began. */
  floor: number;
  isFirst: boolean;
  wasFaulty: boolean;
  /** The line at which it began. */
  line: number;
}

/** The figures of a history. */
export interface Verdict {
  problems: Problems;
  lines: number;
  operations: number;
  acknowledged: number;
  unknown: number;
  faults: number;
}

/**
 * Judges a history, one line after the other. Time grows with the lines, so an order in real time is an order of lines:
 * what a call must show was shown to somebody above its first line. Needs memory for each message, not for each line.
 */
export class Checker {
  readonly #problems = new Problems();
  readonly #sends = new Sends(this.#problems);
  readonly #readers = new Readers(this.#problems);
  readonly #rights = new Rights(this.#problems);
  readonly #money = new Money(this.#problems);
  readonly #inboxes = new Inboxes(this.#problems);
  readonly #orders = new Map<number, Order>();
  readonly #open = new Map<number, Open>();
  /** Attempts of one message that have no outcome, or an unknown one. */
  readonly #attempts = new Map<string, number>();
  #nodes: readonly string[] | null = null;
  #now = 0;
  #faultsNow = 0;
  #isOver = false;
  readonly #figures = { operations: 0, unknown: 0, faults: 0 };

  /** Takes the next line. */
  take(text: string): void {
    this.#problems.line += 1;
    try {
      this.#takeLine(parseLine(text));
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      this.#problems.add("history", `The line cannot be read: ${error.message}`);
    }
  }

  #takeLine(line: Line): void {
    if (line.type === "history") {
      if (this.#nodes !== null) this.#problems.add("history", "A second history begins here.");
      this.#nodes = line.nodes;
      return;
    }
    if (line.t < this.#now) this.#problems.add("history", `The time goes back from ${this.#now} to ${line.t}.`);
    if (this.#isOver) this.#problems.add("history", "Something follows the end.");
    this.#now = line.t;
    if (line.type === "invoke") this.#invoke(line);
    else if (line.type === "see") this.#see(line);
    else if (line.type === "fault") this.#fault(line);
    else if (line.type === "end") this.#isOver = true;
    else if (line.type !== "leave") this.#end(line);
  }

  #see(seen: Seen): void {
    this.#rights.pushed(seen.client, seen.t);
    this.#readers.see(seen, this.#order(seen.channel));
  }

  #fault({ at }: Fault): void {
    this.#figures.faults += at === "begin" ? 1 : 0;
    this.#faultsNow += at === "begin" ? 1 : -1;
    // Calls that a fault has met are judged by the bound.
    for (const open of this.#open.values()) open.wasFaulty = true;
  }

  #invoke(invoke: Invoke): void {
    if (this.#open.has(invoke.op)) this.#problems.add("history", `Operation ${invoke.op} begins twice.`);
    this.#figures.operations += 1;
    const { f, channel } = invoke;
    const floor = channel === undefined ? 0 : this.#order(channel).floor;
    let isFirst = false;
    if (f === "send") {
      isFirst = this.#sends.begin(invoke, floor);
      const message = `${channel} ${invoke.hash}`;
      this.#attempts.set(message, (this.#attempts.get(message) ?? 0) + 1);
    }
    this.#open.set(invoke.op, { invoke, floor, isFirst, wasFaulty: this.#faultsNow > 0, line: this.#problems.line });
  }

  #end(outcome: Outcome): void {
    const open = this.#open.get(outcome.op);
    if (open === undefined) {
      this.#problems.add("history", `Operation ${outcome.op} ends and has not begun.`);
      return;
    }
    this.#open.delete(outcome.op);
    if (outcome.type === "ok") {
      this.#rights.succeeded(open.invoke, open.wasFaulty);
      this.#succeed(open, outcome);
    } else if (outcome.type === "unknown") this.#figures.unknown += 1;
    if (open.invoke.f === "send") this.#settle(open.invoke, outcome);
  }

  /** Counts the attempts of a message. One whose outcome is unknown stays open for ever. */
  #settle(send: Invoke, { type }: Outcome): void {
    const message = `${send.channel} ${send.hash}`;
    const others = (this.#attempts.get(message) ?? 1) - 1;
    if (type === "fail") this.#sends.refuse(send, others > 0);
    if (type === "unknown") return;
    if (others === 0) this.#attempts.delete(message);
    else this.#attempts.set(message, others);
  }

  #succeed({ invoke, floor, isFirst, line }: Open, outcome: Outcome): void {
    switch (invoke.f) {
      case "send":
        this.#sent(invoke, outcome, isFirst);
        return;
      case "page":
        this.#readers.page(invoke, outcome, this.#order(invoke.channel ?? 0), floor);
        return;
      case "join":
        this.#readers.join(invoke, outcome, this.#order(invoke.channel ?? 0), floor);
        return;
      case "claim":
        this.#money.claim(invoke, outcome);
        return;
      case "packet":
        this.#money.packet(invoke, outcome);
        return;
      case "ledger":
        this.#money.ledger(outcome);
        return;
      case "budget":
        this.#money.budget(invoke, outcome);
        return;
      case "inbox":
        this.#inboxes.read(invoke, outcome, line);
        return;
      case "ack":
        this.#inboxes.acknowledge(invoke);
        return;
      case "revoke":
        this.#rights.end(invoke.subject ?? "", outcome.t);
        return;
    }
  }

  #sent(send: Invoke, outcome: Outcome, isFirst: boolean): void {
    const { seq = 0, id = 0 } = outcome;
    this.#sends.acknowledge(send, outcome, isFirst);
    // Only readers show the text: an acknowledgement that nobody can read is a loss.
    this.#order(send.channel ?? 0).place([seq, id, null], `The sender ${send.client}`);
    this.#inboxes.mention(send.mentions ?? [], id);
  }

  #order(channel: number): Order {
    const order = this.#orders.get(channel) ?? new Order(channel, this.#sends, this.#problems);
    this.#orders.set(channel, order);
    return order;
  }

  /** Judges the whole, after the last line. */
  conclude(): Verdict {
    const problems = this.#problems;
    const lines = problems.line;
    problems.line = 0;
    if (this.#nodes === null) problems.add("history", "The first line does not say that it is a history.");
    if (!this.#isOver) problems.add("history", "The history has no end.");
    this.#readers.conclude(this.#nodes ?? [], this.#orders);
    this.#sends.conclude();
    this.#money.conclude();
    this.#inboxes.conclude();
    const unknown = this.#figures.unknown + this.#open.size;
    return { problems, lines, ...this.#figures, unknown, acknowledged: this.#sends.acknowledged };
  }
}
