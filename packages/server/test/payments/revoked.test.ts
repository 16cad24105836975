import { expect, test } from "bun:test";
import { forgetOld } from "../../src/payments/recheck.ts";
import {
  challengeFor,
  lookUntilGone,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
} from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/**
 * A grant lasts for its day, and a payment that disappeared from its chain belongs to its payer whenever it returns.
 */
eachDatabase(async (_, open) => {
  const { bank, server, ann, bob } = await forAllTests(openShop({ database: await open() }));

  const pay = (from = 1) => payToken(bank, from, PLATFORM, BigInt(PRICE.amount));
  const payments = (txHash: string) =>
    server.ctx.db.selectFrom("payments").select(["state", "reason"]).where("tx_hash", "=", txHash).execute();

  test("a payment requested while it was gone still belongs to its payer when it returns", async () => {
    const path = await sell(server, "back");
    await challengeFor(ann, path);
    await challengeFor(bob, path);
    const txHash = await pay();
    const serializedTransaction = await bank.anvil.client.request({
      method: "eth_getRawTransactionByHash" as never,
      params: [txHash] as never,
    });
    expect((await present(ann, path, txHash)).status).toBe(200);
    await bank.anvil.reorganise(1);
    await server.ctx.db.updateTable("payments").set({ granted_at: 1 }).where("tx_hash", "=", txHash).execute();
    await lookUntilGone(server, txHash);
    expect(await payments(txHash)).toEqual([{ state: "revoked", reason: "block_gone" }]);
    for (const _time of [1, 2]) {
      const answer = await present(ann, path, txHash);
      expect(["payment_pending", "tx_not_found"]).toContain(answer.body.code);
      expect(answer.status).toBe(402);
      expect(await payments(txHash)).toEqual([{ state: "revoked", reason: "block_gone" }]);
      expectError(await present(bob, path, txHash), 409, "payment_already_used");
    }
    await bank.anvil.client
      .sendRawTransaction({ serializedTransaction: serializedTransaction as never })
      .catch(() => {}); // it is waiting there already
    await bank.anvil.mine(1);
    await bank.anvil.included(txHash);
    expect((await present(ann, path, txHash)).status).toBe(200);
    expect(await payments(txHash)).toEqual([{ state: "granted", reason: null }]);
  });

  test("the challenge of a payment is remembered for as long as its resource can be fetched", async () => {
    const path = await sell(server, "long");
    const { paymentId } = await challengeFor(server.guest, path);
    const unpaid = await challengeFor(server.guest, path);
    const proof = { txHash: await pay(2), paymentId };
    const made = (at: number) =>
      server.ctx.db.updateTable("payment_challenges").set({ created_at: at }).where("resource", "=", path).execute();
    // Asked long ago, paid and presented within its day, and now that day is over.
    expect((await present(server.guest, path, proof)).status).toBe(200);
    await made(Date.now() - 25 * 3_600_000);
    await forgetOld(server.ctx);
    expect((await present(server.guest, path, proof)).status).toBe(200);
    const other = await present(server.guest, path, { ...proof, paymentId: unpaid.paymentId });
    expect(other.body.details).toEqual({ problem: "unknown_payment_id" });
    await made(Date.now() - 49 * 3_600_000);
    await forgetOld(server.ctx);
    expect((await present(server.guest, path, proof)).body.details).toEqual({ problem: "unknown_payment_id" });
  });
});
