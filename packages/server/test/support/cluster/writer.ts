import type { Lab } from "./lab.ts";
import { Line } from "./line.ts";

/** How long a writer waits for an answer before it sends the message again on another node. */
const ANSWER_MS = 10_000;

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
    for (let sends = 0; ; sends++) {
      const text = await this.#ask({ channel_id: this.#channelId, content, client_msg_id: content });
      if (text === null) {
        this.#leave();
        continue;
      }
      const { event, data } = JSON.parse(text) as { event: string; data: Answer };
      if (event === "ack") {
        if (data.deduplicated === true && sends === 0) throw new Error(`"${content}" was new but existed.`);
        return data.seq;
      }
      if (data.retryable !== true) throw new Error(`"${content}" was refused: ${text}`);
      const reason = `${data.code}: ${data.error}`;
      this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #ask(data: object): Promise<string | null> {
    if (this.#line === null) {
      this.#line = await Line.open(this.#lab.another(), this.#headers, {
        text: (text) => {
          if (/^\{"event":"(ack|error)"/.test(text)) this.#answer?.(text);
        },
        closed: () => this.#answer?.(null),
      });
      if (this.#line === null) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return null;
      }
    }
    const line = this.#line;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(null), ANSWER_MS);
    this.#answer = resolve;
    line.send("message:send", 1, data);
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
  deduplicated?: boolean;
  retryable?: boolean;
  code?: string;
  error?: string;
}
