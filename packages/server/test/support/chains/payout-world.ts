import { expect } from "bun:test";
import type { ChainKind } from "../../../src/chains/chain.ts";
import { chainsOf } from "../../../src/chains/chains.ts";
import type { Config } from "../../../src/config/config.ts";
import type { AppContext } from "../../../src/context.ts";
import type { OpenDatabase } from "../../../src/db/database.ts";
import { transact } from "../../../src/db/transact.ts";
import { ledgerCurrency, owedAccount, treasuryAccount } from "../../../src/ledger/account-names.ts";
import { balanceOf, postTransfer } from "../../../src/ledger/ledger.ts";
import { resumePayouts, stopPayouts } from "../../../src/payouts/pause-payouts.ts";
import { onPayout, type PayoutChange } from "../../../src/payouts/payout-listeners.ts";
import { retryPayout } from "../../../src/payouts/payouts.service.ts";
import { requestPayout } from "../../../src/payouts/requests.ts";
import { LEASE_MS } from "../../../src/payouts/send/lease.ts";
import { PayoutWorker } from "../../../src/payouts/send/worker.ts";
import { type StillClock, stillClock } from "../clock.ts";
import { testContext } from "../context.ts";
import type { OpenFresh } from "../databases.ts";
import { FakeChain } from "./fake-chain.ts";

/** A database for many payout scenarios, each on its own chain. */
export class PayoutWorld implements AsyncDisposable {
  readonly open: OpenDatabase;
  readonly clock: StillClock;
  #runs = 0;

  constructor(open: OpenDatabase, clock: StillClock) {
    this.open = open;
    this.clock = clock;
  }

  /** Opens a world on a database of `eachDatabase`. */
  static async open(fresh: OpenFresh): Promise<PayoutWorld> {
    const clock = stillClock();
    return new PayoutWorld(await fresh(clock), clock);
  }

  async begin(kind: ChainKind, config: Partial<Config> = {}): Promise<PayoutRun> {
    const ctx = testContext(this.open, { clock: this.clock, config });
    await ctx.db.updateTable("payout_lease").set({ epoch: ctx.epoch, stopped_at: null, holder: null }).execute();
    return new PayoutRun(ctx, this.clock, new FakeChain(kind, ++this.#runs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.open[Symbol.asyncDispose]() as Promise<void>;
  }
}

/** A scenario: payout requests, a worker that may crash, and a chain. */
export class PayoutRun {
  readonly ctx: AppContext;
  readonly chain: FakeChain;
  readonly news = new Map<string, PayoutChange>();
  readonly #clock: StillClock;
  #worker: PayoutWorker;
  /** The work of workers that hang. It continues at the next wake-up. */
  readonly #zombies: Promise<unknown>[] = [];
  #requests = 0;

  constructor(ctx: AppContext, clock: StillClock, chain: FakeChain) {
    this.ctx = ctx;
    this.chain = chain;
    this.#clock = clock;
    this.#worker = new PayoutWorker(ctx);
    chainsOf(ctx).add(chain);
    onPayout(ctx, async (_, news) => void this.news.set(news.key, news));
  }

  /** Records a debt to a new address, as a claim does, and requests its payout. */
  async request(token: boolean): Promise<void> {
    const { kind, chainId, assets } = this.chain;
    const asset = assets[token ? 1 : 0];
    if (asset === undefined) throw new Error("The chain has two assets.");
    const number = ++this.#requests;
    const key = `test:${chainId}:${number}`;
    const amount = BigInt(100 + number);
    await transact(this.ctx, async (ctx) => {
      const legs = [
        { account: treasuryAccount(kind, chainId), amount: -amount },
        { account: owedAccount(kind, chainId), amount },
      ];
      await postTransfer(ctx, {
        key: `claim:${key}`,
        kind: "claim",
        currency: ledgerCurrency(kind, chainId, asset),
        legs,
      });
      const { currency, tokenAddress } = asset;
      const to = `to-${number}`;
      // `afterCommit` would look for work at once; here the scenario decides when to.
      const quiet = Object.create(ctx, { afterCommit: { value: () => {} } }) as AppContext;
      await requestPayout(quiet, { key, reason: "claim", chain: kind, chainId, currency, tokenAddress, to, amount });
    });
  }

  /**
   * Advances the time and lets the worker work. If the worker hangs, it counts as crashed: a new worker takes over when
   * the lease has expired.
   */
  async work(ms: number): Promise<void> {
    this.#clock.advance(ms);
    const worker = this.#worker;
    if (!(await this.#hangs(worker.poll().then(() => worker.settled())))) return;
    this.#worker = new PayoutWorker(this.ctx);
    this.#clock.advance(LEASE_MS + 1);
  }

  /** Replaces the worker after the lease, as after a crash between two steps or on a second server. */
  restart(): void {
    this.#worker = new PayoutWorker(this.ctx);
    this.#clock.advance(LEASE_MS + 1);
  }

  /** Lets the hanging workers continue, long after others took over. */
  async wake(): Promise<void> {
    this.chain.wake();
    await this.#hangs(Promise.all(this.#zombies.splice(0)));
  }

  /** Waits until the worker is idle or one of its calls hangs; the hanging call continues at the next wake-up. */
  async #hangs(done: Promise<unknown>): Promise<boolean> {
    const hung = this.chain.hung.promise.then(() => "hung" as const);
    if ((await Promise.race([done, hung])) !== "hung") return false;
    this.#zombies.push(done);
    return true;
  }

  async set(what: "reverts" | "refuses" | "poor" | "stopped", on: boolean): Promise<void> {
    if (what === "reverts") this.chain.reverts = on;
    if (what === "refuses") this.chain.refuses = on;
    if (what === "poor") this.chain.funds = on ? 50n : 10n ** 30n;
    if (what === "stopped") await (on ? stopPayouts : resumePayouts)(this.ctx, "command line");
  }

  /** Retries failed payouts as an administrator does. */
  async retry(id: number): Promise<void> {
    await transact(this.ctx, async (ctx) => {
      const quiet = Object.create(ctx, { afterCommit: { value: () => {} } }) as AppContext;
      await retryPayout(quiet, "command line", id);
    });
  }

  rows() {
    const { chainId } = this.chain;
    return this.ctx.db.selectFrom("payouts").selectAll().where("chain_id", "=", chainId).orderBy("id").execute();
  }

  attempts() {
    return this.ctx.db.selectFrom("payout_attempts").selectAll().orderBy("id").execute();
  }

  open(): Promise<{ id: number; state: string; hold: string | null }[]> {
    const { chainId } = this.chain;
    return this.ctx.db
      .selectFrom("payouts")
      .select(["id", "state", "hold"])
      .where("chain_id", "=", chainId)
      .where("ended_at", "is", null)
      .execute();
  }

  /** Removes all faults and lets the worker work until no payout is open. */
  async heal(): Promise<void> {
    const { chain } = this;
    chain.fault = null;
    for (const what of ["reverts", "refuses", "poor", "stopped"] as const) await this.set(what, false);
    await this.wake();
    chain.price = 1n;
    for (let n = 0; n < 80; n++) {
      await this.work(15_000);
      chain.mine();
      if (n > 10 && (await this.open()).length === 0) return;
    }
  }

  /**
   * Expects every payout to have arrived once, or never if it failed. Expects the ledger and the listeners to agree.
   */
  async check(): Promise<void> {
    const { ctx, chain } = this;
    expect(await this.open()).toEqual([]);
    const rows = await ctx.db.selectFrom("payouts").selectAll().where("chain_id", "=", chain.chainId).execute();
    const arrived = chain.arrived();
    const owed = new Map<string, bigint>();
    for (const { key, purpose, recipient, amount, state, hash, ledger_currency } of rows) {
      if (purpose === "gap") continue;
      expect([key, state, arrived.get(recipient) ?? []]).toEqual([
        key,
        state,
        state === "settled" ? [BigInt(amount)] : [],
      ]);
      expect(this.news.get(key)).toEqual({ key, status: state as "settled" | "failed", hash });
      if (state === "failed") owed.set(ledger_currency, (owed.get(ledger_currency) ?? 0n) + BigInt(amount));
    }
    expect(rows.filter(({ purpose }) => purpose === "claim")).toHaveLength(this.#requests);
    for (const asset of chain.assets) {
      const currency = ledgerCurrency(chain.kind, chain.chainId, asset);
      const balance = await balanceOf(ctx, owedAccount(chain.kind, chain.chainId), currency);
      expect(balance).toBe(owed.get(currency) ?? 0n);
    }
    const nonces = await ctx.db
      .selectFrom("payout_attempts as attempt")
      .innerJoin("payouts as payout", "payout.id", "attempt.payout_id")
      .select(["attempt.nonce", "payout.id"])
      .where("payout.chain_id", "=", chain.chainId)
      .where("attempt.nonce", "is not", null)
      .groupBy(["attempt.nonce", "payout.id"])
      .execute();
    // Each nonce was signed for one payout only, with the same recipient and amount.
    expect(new Set(nonces.map(({ nonce }) => nonce)).size).toBe(nonces.length);
  }
}
