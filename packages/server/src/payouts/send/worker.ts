import { pause } from "../../base/timers.ts";
import { chainsOf } from "../../chains/chains.ts";
import { type AppContext, perServer } from "../../context.ts";
import { intervalOf } from "../../timing.ts";
import { hasOpen, openChains } from "../payouts.store.ts";
import { LEASE_MS, Lease, LeaseLost } from "./lease.ts";
import { processChain } from "./process-chain.ts";

/** Polling interval, and the time within which the stop switch takes effect (protocol §6). */
const EVERY_MS = 1_000;

/** How long a stopping server waits for a chain; it must exit within 10 s (protocol §10). */
const STOP_MS = 2_000;

/** Makes payouts on one server: takes the lease when something is owed, and releases it when nothing is. */
export class PayoutWorker {
  readonly #ctx: AppContext;
  readonly #holder: string;
  #lease: Lease | null = null;
  #keptAt = 0;
  /** Chains being processed, by name, so that a slow one does not block the others. */
  readonly #busy = new Map<string, Promise<void>>();
  #polling: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#holder = Buffer.from(ctx.clock.random(9)).toString("base64url");
  }

  /** Starts the due work. Never rejects and never runs concurrently; the next poll retries what failed. */
  poll(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    this.#polling ??= this.#poll()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#polling = null;
      });
    return this.#polling;
  }

  /** Resolves when the work begun so far is done. */
  async settled(): Promise<void> {
    await this.#polling;
    await Promise.all(this.#busy.values());
  }

  /**
   * Resolves when the current step is stored, and releases the lease. It does not wait for a chain that is silent: the
   * lease then expires, and its next holder continues from what is stored.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const isSettled = await Promise.race([this.settled().then(() => true), pause(STOP_MS)]);
    if (isSettled !== true) return;
    const lease = this.#lease;
    this.#lease = null;
    await lease?.drop(this.#ctx);
  }

  async #poll(): Promise<void> {
    const { db } = this.#ctx;
    if (this.#lease === null) {
      if (!(await hasOpen(db))) return;
      this.#lease = await Lease.take(this.#ctx, this.#holder);
      this.#keptAt = this.#ctx.clock.monotonic();
      if (this.#lease === null) return;
    }
    const lease = this.#lease;
    // A chain may be silent for long, so extending the lease does not depend on a pass that writes.
    if (this.#ctx.clock.monotonic() - this.#keptAt >= LEASE_MS / 3) {
      await lease.keep(this.#ctx);
      this.#keptAt = this.#ctx.clock.monotonic();
    }
    const open = await openChains(db);
    if (open.length === 0 && this.#busy.size === 0) {
      this.#lease = null;
      await lease.drop(this.#ctx);
      return;
    }
    for (const { kind, chainId } of open) this.#process(lease, chainsOf(this.#ctx).find(kind, chainId));
  }

  #process(lease: Lease, chain: ReturnType<ReturnType<typeof chainsOf>["find"]>): void {
    const payer = chain?.payer ?? null;
    // Payouts on a chain that is no longer configured wait; `treasury.ts` reports them as open.
    if (chain === null || payer === null) return;
    const name = `${chain.kind}:${chain.chainId}`;
    if (this.#busy.has(name)) return;
    const work = processChain({ ctx: this.#ctx, lease, chain, payer, stopping: this.#stopping.signal })
      .catch((error: unknown) => this.#failed(error))
      .finally(() => void this.#busy.delete(name));
    this.#busy.set(name, work);
  }

  #failed(error: unknown): void {
    if (error instanceof LeaseLost) {
      this.#lease = null;
      this.#ctx.log.warn("another server makes the payouts now");
      return;
    }
    this.#ctx.log.error({ err: error }, "processing payouts failed");
  }
}

const worker = perServer((ctx) => new PayoutWorker(ctx));

/** Makes payouts until the server stops. When nothing is owed, it costs one index lookup a second. */
export function startWorker(ctx: AppContext): void {
  const timer = setInterval(() => void worker(ctx).poll(), intervalOf(ctx, EVERY_MS));
  timer.unref();
  ctx.onClose(async () => {
    clearInterval(timer);
    await worker(ctx).stop();
  });
}

/** Polls for work now, without waiting for the next interval. */
export function wake(ctx: AppContext): void {
  void worker(ctx).poll();
}
