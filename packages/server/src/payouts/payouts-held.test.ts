import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type PayoutRun, PayoutWorld } from "../../test/support/chains/payout-world.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { readBooks } from "./reconcile/reconcile.ts";
import { treasuryCanPay } from "./treasury.ts";

eachDatabase((_, open) => {
  let world: PayoutWorld;
  let run: PayoutRun;
  const begin = async (config = {}) => {
    run = await world.begin("evm", config);
  };
  const only = async () => (await run.rows())[0];

  beforeEach(async () => {
    world = await PayoutWorld.open(open);
    await begin();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  describe("a payout waits", () => {
    test("when payouts are stopped: nothing is signed or sent, and sent transfers are tracked", async () => {
      await run.request(false);
      await run.work(0);
      await run.set("stopped", true);
      await run.request(false);
      for (let n = 0; n < 3; n++) run.chain.mine();
      for (let n = 0; n < 3; n++) await run.work(30_000);
      expect((await run.rows()).map(({ state }) => state)).toEqual(["settled", "queued"]);
      await run.set("stopped", false);
      await run.heal();
      await run.check();
    });

    test("after a restore of the database until payouts are resumed", async () => {
      await run.ctx.db.updateTable("payout_lease").set({ epoch: "before" }).execute();
      await run.request(false);
      await run.work(30_000);
      expect((await only())?.state).toBe("queued");
      await run.set("stopped", false);
      await run.heal();
      await run.check();
    });

    test.each<[string, object, string]>([
      ["above the cap of one transfer", { payoutTransferMax: new Map([["TOK", "0.0001"]]) }, "transfer_cap"],
      ["above the daily cap", { payoutDailyMax: new Map([["TOK", "0.00015"]]) }, "daily_cap"],
      ["above the daily gas budget", { payoutGasDailyMax: new Map([["COIN", "0.000000000000000015"]]) }, "gas_budget"],
    ])("if it is %s, and is not lost", async (_name, config, hold) => {
      await begin(config);
      await run.request(true);
      await run.request(true);
      for (let n = 0; n < 4; n++) {
        await run.work(30_000);
        run.chain.mine();
      }
      const rows = await run.rows();
      expect(rows.at(-1)).toMatchObject({ state: "queued", hold, nonce: null });
      if (hold !== "transfer_cap") {
        expect(rows[0]?.state).not.toBe("queued");
        world.clock.advance(24 * 3_600_000);
        await run.heal();
        await run.check();
      }
    });

    test("without gas or with a recipient that rejects it, and finally fails without a signature", async () => {
      await run.request(false);
      run.chain.funds = 0n;
      await run.work(0);
      expect(await only()).toMatchObject({ state: "queued", hold: "insufficient_funds", nonce: null });
      run.chain.funds = 10n ** 30n;
      run.chain.refuses = true;
      for (let n = 0; n < 8; n++) await run.work(700_000);
      expect(await only()).toMatchObject({ state: "failed", hold: "would_fail", nonce: null, hash: null });
      expect(await run.attempts()).toEqual([]);
      await run.check();
    });

    test("if the ledger does not owe it", async () => {
      await run.request(false);
      await run.ctx.db
        .updateTable("ledger_balances")
        .set({ balance: "7" })
        .where("account", "like", "owed:%")
        .execute();
      await run.work(0);
      expect(await only()).toMatchObject({ state: "queued", hold: "not_in_ledger" });
      const books = await readBooks(run.ctx.db);
      expect(books.flatMap(({ problems }) => problems)).toEqual([
        "payouts of 101 are unpaid, but the ledger owes 7",
        "101 was received and 0 was paid, but the ledger holds 7",
      ]);
    });

    test("with another key in the settings: old transfers are tracked but never signed again", async () => {
      await run.request(false);
      await run.work(0);
      run.chain.mempool.clear();
      run.chain.useNonceOutside();
      for (let n = 0; n < 3; n++) run.chain.mine();
      run.chain.address = "another";
      for (let n = 0; n < 5; n++) await run.work(400_000);
      expect(await only()).toMatchObject({ round: 0, nonce: 0, payer: "treasury", hold: "other_wallet" });
      run.chain.address = "treasury";
      await run.heal();
      await run.check();
    });
  });

  test("treasuryCanPay says why the treasury cannot pay more", async () => {
    await begin({ payoutReserve: new Map([["COIN", "1"]]), payoutTransferMax: new Map([["TOK", "5"]]) });
    const { chain } = run;
    const [, asset] = chain.assets;
    if (asset === undefined) throw new Error("There are two.");
    const ask = (largest = 1n, count = 10) => treasuryCanPay(run.ctx, { chain, asset, largest, count });
    expect(await ask()).toBeNull();
    expect(await ask(5_000_001n)).toBe("above_cap");
    chain.funds = 10n ** 18n + 99n;
    world.clock.advance(60_000);
    expect(await ask()).toBe("low_gas");
    chain.funds = 10n ** 18n + 100n;
    world.clock.advance(60_000);
    expect(await ask()).toBeNull();
    await run.set("stopped", true);
    expect(await ask()).toBe("stopped");
  });
});
