import { hashOf } from "./history-recorder.ts";
import type { Lab } from "./lab.ts";
import { Line } from "./line.ts";

/** How long a writer waits for an answer before it sends the message again on another node. */
const ANSWER_MS = 10_000;

/** Refusals before anything is stored. After another one that may pass, nobody knows whether the message is stored. */
const REFUSED: ReadonlySet<string> = new Set(["rate_limited", "overloaded", "not_ready"]);

/**
 * A client that posts one message after another over a socket, as an honest client does: a message whose outcome is
 * unknown is sent again under its key, on another node.
 */
export class Writer {
  /** The seq of each acknowledged message, in the order of writing. */
  readonly acked: number[] = [];
  /** Milliseconds from each send to its acknowledgement, the last 100,000. */
  readonly waits: number[] = [];
  /** How often each error said "try again", by its text. */
  readonly refusals = new Map<string, number>();
  /** How often it changed its node. */
  moves = 0;
  readonly #lab: Lab;
  readonly #channelId: number;
  readonly #name: string;
  readonly #headers: Record<string, string>;
  #line: Line | null = null;
  #answer: ((text: string | null) => void) | undefined;

  constructor(lab: Lab, channelId: number, name: string, headers: Record<string, string>) {
    this.#lab = lab;
    this.#channelId = channelId;
    this.#name = name;
    this.#headers = headers;
  }

  /** Writes until `until` says so; the last message is acknowledged then. */
  async run(until: (written: number) => boolean): Promise<void> {
    while (!until(this.acked.length)) {
      const n = this.acked.length;
      const sentAt = performance.now();
      this.acked.push(await this.#post(`${this.#name} ${n}`));
      this.waits.push(performance.now() - sentAt);
      if (this.waits.length > 100_000) this.waits.splice(0, 50_000);
    }
    this.#line?.end();
    this.#line = null;
  }

  /** Posts one message, however often it takes; returns its seq. */
  async #post(content: string): Promise<number> {
    for (;;) {
      if (!(await this.#isOpen())) continue;
      const { history } = this.#lab;
      const op = history.begin({
        f: "send",
        client: this.#name,
        node: this.#line?.node.name ?? "",
        channel: this.#channelId,
        key: content,
        hash: hashOf(content),
      });
      const text = await this.#ask({ channel_id: this.#channelId, content, client_msg_id: content });
      if (text === null) {
        history.end(op, "unknown");
        this.#leave();
        continue;
      }
      const { event, data } = JSON.parse(text) as { event: string; data: Answer };
      if (event === "ack") {
        const { seq, message_id: id, deduplicated: repeated } = data;
        history.end(op, "ok", { seq, id, ...(repeated ? { repeated } : {}) });
        return seq;
      }
      history.end(op, data.retryable !== true || REFUSED.has(data.code ?? "") ? "fail" : "unknown");
      if (data.retryable !== true) throw new Error(`"${content}" was refused: ${text}`);
      const reason = `${data.code}: ${data.error}`;
      this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Opens a socket unless there is one. Returns false after a moment if there is no node. */
  async #isOpen(): Promise<boolean> {
    this.#line ??= await Line.open(this.#lab.another(), this.#headers, {
      text: (text) => {
        if (/^\{"event":"(ack|error)"/.test(text)) this.#answer?.(text);
      },
      closed: () => this.#answer?.(null),
    });
    if (this.#line !== null) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.moves += 1;
    return false;
  }

  async #ask(data: object): Promise<string | null> {
    const line = this.#line;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(null), ANSWER_MS);
    this.#answer = resolve;
    line?.send("message:send", 1, data);
    const text = await promise;
    clearTimeout(timer);
    this.#answer = undefined;
    return text;
  }

  #leave(): void {
    this.#line?.end();
    this.#line = null;
    this.moves += 1;
  }
}

interface Answer {
  seq: number;
  message_id: number;
  deduplicated?: boolean;
  retryable?: boolean;
  code?: string;
  error?: string;
}
