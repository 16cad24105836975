import { type AppContext, perServer } from "../context.ts";
import { LEASE_MS, leasesElsewhere, releaseLeases, renewLeases, takeLeases } from "./leases.store.ts";
import { DEAD_MS } from "./nodes.store.ts";

/** How often a node looks for leases that became free. */
const LOOK_MS = 2_000;
const RENEW_MS = 10_000;
/** A holder stops this long before the others may take over, because a pass of work takes time. */
const MARGIN_MS = 5_000;

/** The leases that this node holds, and the ones it would take. For a cluster only. */
export class Leases {
  readonly #ctx: AppContext;
  readonly #wanted = new Set<string>();
  #held: ReadonlySet<string> = new Set();
  /** Monotonic time at which the last renewal of the held leases began. */
  #renewedAt = 0;
  #looking: Promise<void> | null = null;
  readonly #timer: Timer;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
    ctx.cluster?.onRejoined(() => {
      this.#held = new Set();
    });
    ctx.onClose(() => this.#release());
  }

  /** The names of the leases that this node holds. */
  get held(): readonly string[] {
    return [...this.#held].filter((name) => this.holds(name));
  }

  /** Takes the lease as soon as it is free, and keeps it. */
  want(name: string): void {
    this.#wanted.add(name);
  }

  /** Returns whether this node holds the lease, without asking the database. */
  holds(name: string): boolean {
    const { cluster, clock } = this.#ctx;
    if (cluster === null || !this.#held.has(name)) return false;
    const isRenewed = clock.monotonic() - this.#renewedAt < LEASE_MS - MARGIN_MS;
    return isRenewed && cluster.heartbeatAgeMs < DEAD_MS - MARGIN_MS;
  }

  /** Renews what is due and takes what is free. Never rejects. At most one look at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((err: unknown) => this.#ctx.log.warn({ err }, "renewing the leases of this node failed"))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { db, clock, cluster } = this.#ctx;
    if (cluster === null || cluster.nodes.some(({ id, state }) => id === cluster.nodeId && state === "draining"))
      return;
    const node = cluster.nodeId;
    const began = clock.monotonic();
    const isDue = this.#held.size > 0 && began - this.#renewedAt >= RENEW_MS;
    const kept = isDue ? await renewLeases(db, node) : [...this.#held];
    const missing = [...this.#wanted].filter((name) => !kept.includes(name));
    const elsewhere = missing.length === 0 ? [] : await leasesElsewhere(db, node);
    const free = missing.filter((name) => !elsewhere.includes(name));
    const taken = free.length === 0 ? [] : await takeLeases(db, node, free);
    // The node may have been declared dead in the meantime.
    if (cluster.nodeId !== node) return;
    if (isDue || this.#held.size === 0) this.#renewedAt = began;
    this.#held = new Set([...kept, ...taken]);
  }

  async #release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#held = new Set();
    const { db, cluster, log } = this.#ctx;
    if (cluster === null) return;
    try {
      await releaseLeases(db, cluster.nodeId);
    } catch (err) {
      log.warn({ err }, "the leases of this node could not be released; they lapse");
    }
  }
}

/** The leases of this server. */
export const leases = perServer((ctx) => new Leases(ctx));
