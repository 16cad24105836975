import { expect } from "bun:test";
import { Client } from "../servers/test-server.ts";
import { enrol, postPatiently } from "./enrol.ts";
import { judge, type Verdict } from "./history.ts";
import type { Lab } from "./lab.ts";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

/** Writers and readers of one channel, spread over the nodes of a lab. */
export class Crowd {
  readonly lab: Lab;
  readonly channelId: number;
  readonly owner: Client;
  readonly writers: ReadonlyMap<string, Writer>;
  readonly readers: readonly Reader[];

  private constructor(lab: Lab, channelId: number, owner: Client, writers: Map<string, Writer>, readers: Reader[]) {
    this.lab = lab;
    this.channelId = channelId;
    this.owner = owner;
    this.writers = writers;
    this.readers = readers;
  }

  /** Up to nine writers share an account, because an account may have ten sockets. */
  static async gather(lab: Lab, { writers, readers }: { writers: number; readers: number }): Promise<Crowd> {
    const owner = await enrol(lab.node(0).url, "olga");
    const created = await postPatiently(owner, "/api/channels", { name: "crowd" });
    const id: number = created.body.channel_id;
    const accounts: Client[] = [];
    const made = new Map<string, Writer>();
    for (let n = 0; n < writers; n++) {
      if (n % 9 === 0) {
        const account = await enrol(lab.node(n).url, `writer${n}`);
        expect((await postPatiently(account, `/api/channels/${id}/join`)).status).toBe(200);
        accounts.push(account);
      }
      made.set(`w${n}`, new Writer(lab, id, `w${n}`, accounts.at(-1)?.credential ?? {}));
    }
    const listeners = Array.from({ length: readers }, (_, n) => new Reader(lab, id, `r${n}`));
    await Promise.all(listeners.map((reader, n) => reader.start(lab.node(n))));
    return new Crowd(lab, id, owner, made, listeners);
  }

  /** The channel's owner as a client of the n-th node. */
  ownerOn(n: number): Client {
    return new Client(this.lab.node(n).url, this.owner.credential);
  }

  get written(): number {
    let sum = 0;
    for (const { acked } of this.writers.values()) sum += acked.length;
    return sum;
  }

  /** Lets every writer write until `isOver`; rejects if one of them fails. */
  async write(isOver: () => boolean): Promise<void> {
    await Promise.all([...this.writers.values()].map((writer) => writer.run(isOver)));
  }

  /**
   * Waits until every reader has seen everything, and lets the checker judge the history: nothing acknowledged is lost,
   * doubled or out of order, and every node tells the same.
   */
  async conclude(): Promise<Verdict & { moves: number; refusals: number }> {
    const { body } = await this.ownerOn(0).get(`/api/messages?channel_id=${this.channelId}&limit=1`);
    await this.#allHave(body.last_seq);
    for (const reader of this.readers) await reader.end();
    const verdict = await judge(this.lab, this.channelId, this.owner.credential);
    const moves = [...this.writers.values()].reduce((sum, writer) => sum + writer.moves, 0);
    const refusals = Object.values(this.refusals).reduce((sum, count) => sum + count, 0);
    return { ...verdict, moves, refusals };
  }

  /** How often the writers met each retryable error, by its text. */
  get refusals(): Record<string, number> {
    const all: Record<string, number> = {};
    for (const { refusals } of this.writers.values())
      for (const [reason, count] of refusals) all[reason] = (all[reason] ?? 0) + count;
    return all;
  }

  async #allHave(seq: number): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (this.readers.some(({ last }) => last < seq)) {
      if (performance.now() > deadline) {
        const late = this.readers.filter(({ last }) => last < seq);
        const where = late.map(({ last, node }) => `${last} on ${node?.name ?? "no node"}`).join(", ");
        throw new Error(`${late.length} readers have not seen message ${seq}: ${where}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
