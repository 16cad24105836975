import { afterEach, beforeEach, expect, test } from "bun:test";
import { type PayoutRun, PayoutWorld } from "../../test/support/chains/payout-world.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import type { ChainKind } from "../chains/chain.ts";
import { readBooks } from "./reconcile/reconcile.ts";
import { requestPayout } from "./requests.ts";
import { LEASE_MS, Lease, LeaseLost } from "./send/lease.ts";

/** One story each, step by step, on every database. Confirmations are 3. */
eachDatabase((_, open) => {
  let world: PayoutWorld;
  let run: PayoutRun;
  const begin = async (kind: ChainKind = "evm", config = {}) => {
    run = await world.begin(kind, config);
  };
  const only = async () => (await run.rows())[0];
  const arrivals = () => [...run.chain.arrived().values()].map(({ length }) => length);

  beforeEach(async () => {
    world = await PayoutWorld.open(open);
    await begin();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  test("a payout goes from owed to paid, and listeners receive each transaction hash", async () => {
    await run.request(false);
    expect(await only()).toMatchObject({ state: "queued", nonce: null, hash: null });
    await run.work(0);
    const sent = await only();
    expect(sent).toMatchObject({ state: "sent", nonce: 0, payer: "treasury" });
    expect([...run.news.values()]).toEqual([{ key: sent?.key ?? "", status: "pending", hash: sent?.hash ?? "" }]);
    run.chain.mine();
    await run.work(1_000);
    expect(await only()).toMatchObject({ state: "included", hash: sent?.hash });
    run.chain.mine();
    run.chain.mine();
    await run.work(1_000);
    expect(await only()).toMatchObject({ state: "settled", hold: null, fee_paid: "10" });
    await run.check();
    const [books] = await readBooks(run.ctx.db);
    expect(books).toMatchObject({ funded: 101n, paid: 101n, gas: 10n, liabilities: 0n, problems: [] });
  });

  test("a repeated request is one payout, and one with other content is a bug", async () => {
    await run.request(false);
    const row = await only();
    const again = {
      key: row?.key ?? "",
      reason: "claim",
      chain: "evm",
      chainId: run.chain.chainId,
      currency: "COIN",
    } as const;
    const ask = (amount: bigint) =>
      run.ctx.db.transaction().execute((db) => {
        const ctx = Object.create(run.ctx, { db: { value: db } });
        return requestPayout(ctx, { ...again, tokenAddress: null, to: "to-1", amount });
      });
    await ask(101n);
    expect(await run.rows()).toHaveLength(1);
    expect(ask(102n)).rejects.toThrow("different content");
    expect(requestPayout(run.ctx, { ...again, tokenAddress: null, to: "to-1", amount: 101n })).rejects.toThrow(
      "transaction",
    );
  });

  test("a failed transfer is given up only when it is final, because a reorganization may let it succeed", async () => {
    await run.request(true);
    run.chain.reverts = true;
    await run.work(0);
    run.chain.mine();
    await run.work(1_000);
    expect((await only())?.state).toBe("included");
    run.chain.reorganise(1, false);
    run.chain.mine();
    await run.heal();
    expect((await only())?.state).toBe("settled");
    await run.check();
  });

  test("a transfer that finally failed can be retried, and is paid once", async () => {
    await run.request(true);
    run.chain.reverts = true;
    await run.work(0);
    for (let n = 0; n < 3; n++) run.chain.mine();
    await run.work(1_000);
    const failed = await only();
    expect(failed).toMatchObject({ state: "failed", fee_paid: "10" });
    await run.check();
    await run.retry(failed?.id ?? 0);
    expect(await only()).toMatchObject({ state: "queued", round: 1 });
    await run.heal();
    expect((await only())?.state).toBe("settled");
    await run.check();
    expect(run.retry(failed?.id ?? 0)).rejects.toMatchObject({ code: "payout_not_failed" });
  });

  test("a fee is raised on the same nonce, at most three times, and only for the lowest nonce", async () => {
    await run.request(false);
    await run.request(false);
    await run.work(0);
    run.chain.price = 1_000n;
    for (let n = 0; n < 8; n++) {
      await run.work(300_000);
      run.chain.price *= 3n; // and always too late
    }
    const [first, second] = await run.rows();
    expect(first).toMatchObject({ state: "sent", hold: "stuck", nonce: 0 });
    const attempts = await run.attempts();
    expect(attempts.filter(({ payout_id }) => payout_id === first?.id).map(({ nonce }) => nonce)).toEqual([0, 0, 0, 0]);
    expect(attempts.filter(({ payout_id }) => payout_id === second?.id)).toHaveLength(1);
    await run.heal();
    await run.check();
    expect(arrivals()).toEqual([1, 1]);
  });

  test("a missing nonce is filled by the next payout, or else by an empty transaction", async () => {
    run.chain.useNonceOutside();
    await run.request(false);
    await run.work(0);
    expect((await only())?.nonce).toBe(1);
    run.chain.reorganise(1, true);
    await run.work(40_000);
    await run.work(1_000);
    expect((await run.rows()).map(({ purpose, nonce, state }) => [purpose, nonce, state])).toEqual([
      ["claim", 1, "sent"],
      ["gap", 0, "sent"],
    ]);
    await run.heal();
    await run.check();
  });

  test("a nonce that another transaction used is replaced only when that is final and was seen twice", async () => {
    await run.request(false);
    await run.work(0);
    run.chain.useNonceOutside();
    run.chain.mine();
    await run.work(10_000);
    expect(await only()).toMatchObject({ nonce: 0, hold: null });
    run.chain.mine();
    await run.work(10_000);
    expect(await only()).toMatchObject({ nonce: 0, hold: "lapsing" });
    await run.work(20_000);
    await run.work(1_000);
    expect(await only()).toMatchObject({ nonce: 1, round: 1, state: "sent" });
    await run.heal();
    await run.check();
  });

  test("a payout that is signed again counts against the daily cap again, so lying servers cannot have it paid many times", async () => {
    // Enough for one of 101.
    const cap = new Map([["COIN", "0.00000000000000015"]]);
    await begin("evm", { payoutDailyMax: cap });
    await run.request(false);
    await run.work(0);
    // As a majority of servers can pretend: the nonce is permanently used, by another transaction.
    run.chain.useNonceOutside();
    for (let n = 0; n < 3; n++) run.chain.mine();
    await run.work(10_000);
    await run.work(20_000);
    await run.work(1_000);
    expect(await only()).toMatchObject({ state: "queued", round: 1, hold: "daily_cap", day: null });
    expect(await run.attempts()).toHaveLength(1);
    await run.work(86_400_000);
    expect(await only()).toMatchObject({ state: "sent", round: 1 });
    await run.heal();
    await run.check();
  });

  test("a payout that is retried by hand counts against the daily cap again", async () => {
    await begin("evm", { payoutDailyMax: new Map([["TOK", "0.00015"]]) });
    await run.request(true);
    run.chain.reverts = true;
    await run.work(0);
    for (let n = 0; n < 3; n++) run.chain.mine();
    await run.work(1_000);
    await run.retry((await only())?.id ?? 0);
    await run.work(1_000);
    expect(await only()).toMatchObject({ state: "queued", round: 1, hold: "daily_cap" });
    await run.work(86_400_000);
    await run.heal();
    await run.check();
  });

  test("a Solana payout is signed again only when its blockhash has expired finally", async () => {
    await begin("solana");
    await run.request(false);
    await run.work(0);
    const first = (await only())?.hash;
    run.chain.mempool.clear();
    run.chain.price = 10n ** 9n;
    for (let n = 0; n < 9; n++) run.chain.mine();
    await run.work(10_000);
    expect(await only()).toMatchObject({ hash: first ?? "", round: 0 });
    for (let n = 0; n < 3; n++) run.chain.mine();
    await run.work(20_000);
    await run.work(20_000);
    await run.work(1_000);
    expect(await only()).toMatchObject({ round: 1 });
    await run.heal();
    await run.check();
  });

  test("a leaseholder that was suspended cannot store what it had signed", async () => {
    await run.request(false);
    run.chain.fault = { kind: "hang", after: true, calls: 1 };
    await run.work(0);
    expect((await only())?.state).toBe("numbered");
    run.chain.funds = 0n;
    await run.work(0);
    expect(await only()).toMatchObject({ state: "queued", nonce: null, hold: "insufficient_funds" });
    run.chain.funds = 10n ** 30n;
    run.chain.useNonceOutside();
    run.chain.fault = { kind: "hang", after: true, calls: 1 };
    await run.work(40_000);
    expect(await only()).toMatchObject({ state: "numbered", nonce: 1 });
    await run.wake();
    // Two wake up; one still has the lease.
    expect((await run.attempts()).map(({ nonce }) => nonce)).toEqual([1]);
    await run.heal();
    await run.check();
  });

  test("a lease has one holder, and the next one gets a higher fencing number", async () => {
    const first = await Lease.take(run.ctx, "one");
    expect(await Lease.take(run.ctx, "two")).toBeNull();
    world.clock.advance(LEASE_MS - 1);
    await first?.keep(run.ctx);
    world.clock.advance(LEASE_MS - 1);
    expect(await Lease.take(run.ctx, "two")).toBeNull();
    world.clock.advance(1);
    const second = await Lease.take(run.ctx, "two");
    expect(second?.fence).toBe((first?.fence ?? 0) + 1);
    expect(first?.write(run.ctx, async () => {})).rejects.toBeInstanceOf(LeaseLost);
    await first?.drop(run.ctx);
    await second?.keep(run.ctx);
    await second?.drop(run.ctx);
    expect(second?.keep(run.ctx)).rejects.toBeInstanceOf(LeaseLost);
    expect(await Lease.take(run.ctx, "three")).not.toBeNull();
  });
});
