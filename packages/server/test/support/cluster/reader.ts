import type { Message } from "../../../../../tools/check-history/lines.ts";
import { messageOf } from "./history-recorder.ts";
import type { Lab, LabNode } from "./lab.ts";
import { Line } from "./line.ts";

const NEW_MESSAGE = '{"event":"message:new"';

/**
 * A client that listens to one channel. When its node goes away it resumes on another one from the last seq it saw; if
 * that is too far behind, it pages the history. It records what it sees; the checker judges whether every seq came once.
 */
export class Reader {
  /** The last seq seen. */
  last = 0;
  /** Frames pushed by the server, without those of a resume. */
  pushed = 0;
  /** Milliseconds from the end of each socket to being caught up on another node. */
  readonly returns: number[] = [];
  /** Called with each new message's text. */
  onMessage: ((text: string) => void) | undefined;
  /** Called with every other pushed frame. */
  onOther: ((text: string) => void) | undefined;
  readonly #lab: Lab;
  readonly #channelId: number;
  readonly #name: string;
  readonly #headers: Record<string, string>;
  #epoch = "";
  #line: Line | null = null;
  #joined: ((text: string | null) => void) | undefined;
  #isOver = false;
  #moving: Promise<void> = Promise.resolve();

  constructor(lab: Lab, channelId: number, name: string, headers: Record<string, string> = {}) {
    this.#lab = lab;
    this.#channelId = channelId;
    this.#name = name;
    this.#headers = headers;
  }

  /** Joins; resolves when the reader listens. */
  start(node?: LabNode): Promise<void> {
    return this.#enter(node ?? this.#lab.another());
  }

  /** The node that the reader is connected to. */
  get node(): LabNode | undefined {
    return this.#line?.node;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#moving;
    this.#line?.end();
  }

  async #enter(first: LabNode): Promise<void> {
    for (let node = first; !this.#isOver; node = this.#lab.another(node)) {
      if (await this.#tryEnter(node)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #tryEnter(node: LabNode): Promise<boolean> {
    let early: string[] | null = [];
    const line = await Line.open(node, this.#headers, {
      text: (text) => {
        if (text.startsWith('{"event":"ack"') || text.startsWith('{"event":"error"')) this.#joined?.(text);
        else if (early === null) this.#take(text);
        else early.push(text);
      },
      closed: () => this.#closed(line),
    });
    if (line === null) return false;
    const ack = await this.#join(line);
    if (ack === null) {
      line.end();
      return false;
    }
    if (!(await this.#catchUp(ack, node)) || !line.isOpen) {
      line.end();
      return false;
    }
    this.#line = line;
    for (const waiting of early) this.#take(waiting);
    early = null;
    return true;
  }

  /** Joins, or resumes after the last message. Returns null if the node refuses it or does not answer. */
  async #join(line: Line): Promise<JoinAck | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(null), 5_000);
    this.#joined = resolve;
    const resume = this.#epoch === "" ? {} : { after_seq: this.last, epoch: this.#epoch };
    const op = this.#lab.history.begin({ f: "join", ...this.#where(line.node), ...this.#after() });
    line.send("channel:join", 1, { channel_id: this.#channelId, ...resume });
    const text = await promise;
    clearTimeout(timer);
    if (text === null || text.startsWith('{"event":"error"')) {
      this.#lab.history.end(op, text === null ? "unknown" : "fail");
      return null;
    }
    const ack: JoinAck = JSON.parse(text).data;
    const { epoch, last_seq, recovered, events = [] } = ack;
    const messages = events.flatMap(({ data }) =>
      data.chat_message === undefined ? [] : [messageOf(data.chat_message)],
    );
    const missed = recovered === undefined ? {} : { recovered, messages };
    this.#lab.history.end(op, "ok", { epoch, last_seq, ...missed });
    return ack;
  }

  #where = (node: LabNode) => ({ client: this.#name, node: node.name, channel: this.#channelId });
  #after = () => (this.#epoch === "" ? {} : { after: this.last });

  /** Reads what was missed, from the ack or by paging. Returns false if the node went away meanwhile. */
  async #catchUp(ack: JoinAck, node: LabNode): Promise<boolean> {
    if (this.#epoch === "") this.last = ack.last_seq;
    else if (ack.recovered === true) for (const frame of ack.events ?? []) this.#next(frame.data.seq);
    else if (!(await this.#page(node, ack.last_seq))) return false;
    this.#epoch = ack.epoch;
    return true;
  }

  async #page(node: LabNode, upTo: number): Promise<boolean> {
    while (this.last < upTo) {
      const op = this.#lab.history.begin({ f: "page", ...this.#where(node), after: this.last });
      const query = `channel_id=${this.#channelId}&limit=200&after_seq=${this.last}`;
      const answer = await fetch(`${node.url}/api/messages?${query}`, { headers: this.#headers }).catch(() => null);
      if (answer?.status !== 200) {
        this.#lab.history.end(op, answer === null ? "unknown" : "fail");
        return false;
      }
      const { messages, has_more: more, last_seq } = (await answer.json()) as Page;
      this.#lab.history.end(op, "ok", { messages: messages.map(messageOf), more, last_seq });
      if (messages.length === 0) throw new Error(`There is nothing after ${this.last}, but the channel is at ${upTo}.`);
      for (const { seq } of messages) if (seq <= upTo) this.#next(seq);
    }
    return true;
  }

  #take(text: string): void {
    if (!text.startsWith(NEW_MESSAGE)) return void this.onOther?.(text);
    this.pushed += 1;
    const message: Message = messageOf(JSON.parse(text).data.chat_message);
    this.#lab.history.see(this.#name, this.#channelId, message);
    this.#next(message[0]);
    this.onMessage?.(text);
  }

  #next(seq: number): void {
    this.last = seq;
  }

  #closed(line: Line | null): void {
    this.#joined?.(null);
    if (line === null || this.#line !== line || this.#isOver) return;
    this.#line = null;
    this.#lab.history.leave(this.#name);
    const endedAt = performance.now();
    this.#moving = this.#enter(this.#lab.another(line.node)).then(() => {
      this.returns.push(performance.now() - endedAt);
    });
  }
}

interface JoinAck {
  last_seq: number;
  epoch: string;
  recovered?: boolean;
  events?: { data: { seq: number; chat_message?: NewMessage } }[];
}

interface NewMessage {
  seq: number;
  id: number;
  content: string;
}

interface Page {
  messages: NewMessage[];
  has_more: boolean;
  last_seq: number;
}
