import type { ClusterNode } from "../../cluster/cluster.ts";

/** A node that was silent for longer may be publishing what this one does not receive (milliseconds). */
export const SILENCE_MS = 3_000;

interface Heard {
  at: number;
  /** How many of its publications the node has lost so far; null: it has not said. */
  lost: number | null;
}

/** Judges one Redis server by the heartbeats that arrive through it. Times are monotonic. */
export class ShardHealth {
  readonly #heard = new Map<string, Heard>();
  #isGood = false;

  /** The subscription was lost or replaced: no earlier heartbeat proves that it works. */
  reset(): void {
    this.#heard.clear();
    this.#isGood = false;
  }

  /** Records a heartbeat. Returns whether it is the node's first one, and whether it has lost publications since. */
  hear(node: string, lost: number, now: number): { isFirst: boolean; hasLost: boolean } {
    const before = this.#heard.get(node);
    this.#heard.set(node, { at: now, lost });
    const known = before?.lost ?? null;
    return { isFirst: known === null, hasLost: known !== null && known !== lost };
  }

  /** When a node was last heard; undefined: never. */
  heardAt(node: string): number | undefined {
    return this.#heard.get(node)?.at;
  }

  /** Returns why publications of other nodes may be lost; null: there is no reason. */
  doubt(nodes: readonly ClusterNode[], ownId: string, now: number): string | null {
    const own = nodes.find(({ id }) => id === ownId);
    for (const id of this.#heard.keys()) {
      if (id !== ownId && !nodes.some((node) => node.id === id)) this.#heard.delete(id);
    }
    const reason = this.#silence(ownId, now) ? "this node does not hear itself" : this.#nodeDoubt(nodes, own, now);
    this.#isGood = reason === null;
    return reason;
  }

  #nodeDoubt(nodes: readonly ClusterNode[], own: ClusterNode | undefined, now: number): string | null {
    for (const { id, name, shards } of nodes) {
      if (id === own?.id) continue;
      if (own !== undefined && shards !== own.shards) {
        return `node ${name} uses other Redis servers (${shards}) than this one (${own.shards}); give all nodes the same REDIS_URL`;
      }
      // A node that has joined a working bus has time for its first heartbeat.
      if (this.#isGood && !this.#heard.has(id)) this.#heard.set(id, { at: now, lost: null });
      if (this.#silence(id, now)) return `node ${name} is not heard`;
    }
    return null;
  }

  #silence(id: string, now: number): boolean {
    const heard = this.#heard.get(id);
    return heard === undefined || now - heard.at > SILENCE_MS;
  }
}
