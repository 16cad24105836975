import { createHash } from "node:crypto";
import type { Invoke, Line, Message } from "../lines.ts";

/** A generator of numbers below a bound, the same ones for the same seed (mulberry32). */
export function drawn(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) % below;
  };
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

const CHANNELS = [1, 2];
const NODES = ["node-1", "node-2"];

/** A reader with an open socket. */
interface Listener {
  client: string;
  channel: number;
  last: number;
  isHere: boolean;
}

/** A send under way. */
interface Sending {
  invoke: Invoke;
  /** The message, once it is stored. */
  stored: Message | null;
}

/** A chat server that keeps all promises, and clients that record what it does. Each step is drawn. */
export class Model {
  readonly lines: Line[] = [{ type: "history", version: 1, seed: 0, nodes: NODES }];
  readonly #channels = new Map<number, Message[]>(CHANNELS.map((id) => [id, []]));
  readonly #keys = new Map<string, Message>();
  readonly #sendings: Sending[] = [];
  /** Messages whose outcome a client does not know, to be sent again. */
  readonly #again: Invoke[] = [];
  readonly #listeners: Listener[] = CHANNELS.flatMap((channel) =>
    ["r0", "r1"].map((client) => ({ client, channel, last: 0, isHere: false })),
  );
  readonly #draw: (below: number) => number;
  #t = 0;
  #ops = 0;
  #messages = 0;

  constructor(seed: number) {
    this.#draw = drawn(seed);
  }

  /** Runs this many steps, and ends the history as a recorder does. */
  run(steps: number): Line[] {
    const acts = [this.#send, this.#store, this.#store, this.#answer, this.#push, this.#push, this.#page, this.#move];
    for (let step = 0; step < steps; step += 1) acts[this.#draw(acts.length)]?.call(this);
    while (this.#sendings.length > 0) {
      this.#store();
      this.#answer();
    }
    for (const node of NODES) for (const channel of CHANNELS) this.#readWhole(node, channel);
    this.#add({ type: "end", t: 0 });
    return this.lines;
  }

  #add(line: Exclude<Line, { type: "history" }>): void {
    this.#t += 1 + this.#draw(50);
    this.lines.push({ ...line, t: this.#t });
  }

  #invoke(of: Omit<Invoke, "type" | "t" | "op">): Invoke {
    const invoke: Invoke = { type: "invoke", t: 0, op: ++this.#ops, ...of };
    this.#add(invoke);
    return invoke;
  }

  #of = (channel: number): Message[] => this.#channels.get(channel) ?? [];

  #send(): void {
    const old = this.#draw(3) === 0 ? this.#again.pop() : undefined;
    if (old !== undefined) {
      const { client, channel, key, hash, f } = old;
      this.#sendings.push({ invoke: this.#invoke({ client, channel, key, hash, f } as Invoke), stored: null });
      return;
    }
    const text = `text ${this.#messages++}`;
    const channel = CHANNELS[this.#draw(CHANNELS.length)] ?? 1;
    const client = `w${this.#draw(4)}`;
    const invoke = this.#invoke({ f: "send", client, channel, key: text, hash: hashOf(text) });
    this.#sendings.push({ invoke, stored: null });
  }

  #store(): void {
    const sending = this.#sendings[this.#draw(Math.max(1, this.#sendings.length))];
    if (sending === undefined || sending.stored !== null) return;
    const { channel = 0, key = "", hash = "" } = sending.invoke;
    const known = this.#keys.get(key);
    const messages = this.#of(channel);
    sending.stored = known ?? [messages.length + 1, 1_000 * channel + messages.length, hash];
    if (known === undefined) messages.push(sending.stored);
    this.#keys.set(key, sending.stored);
  }

  #answer(): void {
    const at = this.#draw(Math.max(1, this.#sendings.length));
    const sending = this.#sendings[at];
    if (sending === undefined) return;
    this.#sendings.splice(at, 1);
    const { op } = sending.invoke;
    if (this.#draw(5) === 0) {
      // The answer is lost, and the message may be stored or not.
      this.#add({ type: "unknown", t: 0, op });
      this.#again.push(sending.invoke);
    } else if (sending.stored === null) this.#add({ type: "fail", t: 0, op });
    else {
      const [seq, id] = sending.stored;
      const isRepeated = this.lines.some(
        (line) => line.type === "invoke" && line.op !== op && line.hash === sending.invoke.hash,
      );
      this.#add({ type: "ok", t: 0, op, seq, id, ...(isRepeated ? { repeated: true } : {}) });
    }
  }

  #push(): void {
    const listener = this.#listeners[this.#draw(this.#listeners.length)];
    if (listener === undefined || !listener.isHere) return;
    const message = this.#of(listener.channel)[listener.last];
    if (message === undefined) return;
    listener.last += 1;
    const [seq, id, hash] = message;
    this.#add({ type: "see", t: 0, client: listener.client, channel: listener.channel, seq, id, hash });
  }

  /** A reader leaves or comes back, at times too late for a resume. */
  #move(): void {
    const listener = this.#listeners[this.#draw(this.#listeners.length)];
    if (listener === undefined) return;
    const { client, channel, last } = listener;
    listener.isHere = !listener.isHere;
    if (!listener.isHere) {
      this.#add({ type: "leave", t: 0, client });
      return;
    }
    const isFirst = last === 0;
    const { op } = this.#invoke({ f: "join", client, channel, ...(isFirst ? {} : { after: last }) });
    const messages = this.#of(channel);
    const recovered = this.#draw(4) !== 0;
    const missed = recovered ? { recovered, messages: messages.slice(last) } : { recovered };
    const answer = { epoch: "e1", last_seq: messages.length, ...(isFirst ? {} : missed) };
    this.#add({ type: "ok", t: 0, op, ...answer });
    listener.last = messages.length;
  }

  #page(): void {
    const channel = CHANNELS[this.#draw(CHANNELS.length)] ?? 1;
    const { op } = this.#invoke({ f: "page", client: `p${this.#draw(3)}`, node: NODES[this.#draw(2)] ?? "", channel });
    const messages = this.#of(channel).slice(-10);
    this.#add({ type: "ok", t: 0, op, messages, last_seq: this.#of(channel).length });
  }

  #readWhole(node: string, channel: number): void {
    const all = this.#of(channel);
    for (let after = 0; ; after += 7) {
      const { op } = this.#invoke({ f: "page", client: "judge", node, channel, after, final: true });
      const more = after + 7 < all.length;
      this.#add({ type: "ok", t: 0, op, messages: all.slice(after, after + 7), more, last_seq: all.length });
      if (!more) return;
    }
  }
}
