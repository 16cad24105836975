import { expect } from "bun:test";
import { allMessages } from "../all-messages.ts";
import type { Client } from "../servers/test-server.ts";

interface Wire {
  id: number;
  seq: number;
  client_msg_id: string | null;
}

/** The acknowledged messages of a server, to compare with the stored ones. */
export class AckedMessages {
  /** The numbers that each key was answered with. */
  readonly #seqs = new Map<string, Set<number>>();
  #answers = 0;

  add(key: string, seq: number): void {
    this.#answers += 1;
    const known = this.#seqs.get(key);
    if (known === undefined) this.#seqs.set(key, new Set([seq]));
    else known.add(seq);
  }

  get count(): number {
    return this.#seqs.size;
  }

  has(key: string): boolean {
    return this.#seqs.has(key);
  }

  /**
   * Reads #general back. Throws if an acknowledged message is missing, is there twice, has another number than was
   * answered, or if the numbers have a gap. Returns the counts.
   */
  async judge(client: Client): Promise<Record<string, number>> {
    const stored: Wire[] = await allMessages(client);
    const byKey = new Map<string, number[]>();
    for (const { client_msg_id: key, seq } of stored)
      if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), seq]);
    const lost = [...this.#seqs.keys()].filter((key) => !byKey.has(key)).length;
    const duplicates = [...byKey.values()].filter((seqs) => seqs.length > 1).length;
    const moved = [...this.#seqs].filter(([key, seqs]) => seqs.size > 1 || !seqs.has(byKey.get(key)?.[0] ?? -1)).length;
    const first = stored[0]?.seq ?? 0;
    const gaps = stored.filter(({ seq }, at) => seq !== first + at).length;
    const counts = { acked: this.count, answers: this.#answers, stored: stored.length, lost, duplicates, moved, gaps };
    expect({ lost, duplicates, moved, gaps }).toEqual({ lost: 0, duplicates: 0, moved: 0, gaps: 0 });
    return counts;
  }
}
