import type { Log } from "../../logging/log.ts";
import type { BusShard } from "./bus-shard.ts";

const REFRESH_MS = 1_000;
const WARN_MS = 60_000;
const NODES_MAX = 100;
const HELD_MAX = 1_000;
const HELD_UNITS_MAX = 4 * 1024 * 1024;

interface Options {
  /** Reads the nodes from the database again. */
  refresh: () => Promise<void>;
  isKnown: (node: string) => boolean;
  /** Receives the publications of a node that has become known. */
  accept: (from: BusShard, topic: string, payload: string) => void;
  log: Pick<Log, "warn">;
  now: () => number;
}

/**
 * Holds publications of nodes that this one does not know, while it reads the nodes from the database. Drops them if
 * the node is not there: it belongs to another Parley with a copy of this one's data.
 */
export class UnknownNodes {
  readonly #options: Options;
  #held: { node: string; from: BusShard; topic: string; payload: string }[] = [];
  #heldUnits = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** Nodes whose publications were dropped, at most `NODES_MAX`. */
  readonly #nodes = new Set<string>();
  /** Publications that were dropped. */
  dropped = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  take(node: string, from: BusShard, topic: string, payload: string): void {
    const now = this.#options.now();
    const isTooSoon = !this.#isReading && now - this.#refreshedAt < REFRESH_MS;
    if (isTooSoon || this.#held.length >= HELD_MAX || this.#heldUnits >= HELD_UNITS_MAX) {
      this.drop(node);
      return;
    }
    this.#held.push({ node, from, topic, payload });
    this.#heldUnits += payload.length;
    if (this.#isReading) return;
    this.#refreshedAt = now;
    this.#isReading = true;
    void this.#read();
  }

  /** True if the node has publications that are not passed on yet: later ones have to wait behind them. */
  holds(node: string): boolean {
    return this.#held.length > 0 && this.#held.some((held) => held.node === node);
  }

  /** Returns whether publications of the node, which is known now, were dropped. */
  hasDropped(node: string): boolean {
    return this.#nodes.delete(node);
  }

  async #read(): Promise<void> {
    try {
      await this.#options.refresh();
    } catch (error) {
      this.#options.log.warn({ err: error }, "reading the nodes of an unknown publication failed");
    }
    this.#isReading = false;
    const held = this.#held;
    this.#held = [];
    this.#heldUnits = 0;
    for (const { node, from, topic, payload } of held) {
      if (this.#options.isKnown(node)) this.#options.accept(from, topic, payload);
      else this.drop(node);
    }
  }

  /** Counts a publication that is ignored. */
  drop(node: string): void {
    this.dropped++;
    if (this.#nodes.size < NODES_MAX) this.#nodes.add(node);
    const now = this.#options.now();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    this.#options.log.warn(
      { node, dropped: this.dropped },
      "ignored publications of a node that is not in the database: it was paused and taken for dead, or another Parley has a copy of the data and needs a Redis of its own",
    );
  }
}
