import { beforeAll, describe, expect, test } from "bun:test";
import { ANVIL_CHAIN_ID, accountOf } from "../support/chains/anvil.ts";
import {
  COIN_PRICE,
  challengeFor,
  challengeIn,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
  signed,
} from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import type { Client } from "../support/servers/test-server.ts";

/** Payments that are refused, each with its code, on a real chain (protocol §7). */
eachDatabase(async (_, open) => {
  const { bank, server, ann, bob } = await forAllTests(openShop({ database: await open() }));

  const price = BigInt(PRICE.amount);

  describe("a payment is refused with the challenge", () => {
    let path: string;
    beforeAll(async () => {
      path = await sell(server, "refusing");
    });
    const refused = async (proof: string | object, status: number, code: string, who: Client = server.guest) => {
      const answer = await present(who, path, proof);
      expectError(answer, status, code);
      if (status === 402) expect(challengeIn(answer).resource).toBe(path);
      const txHash = typeof proof === "string" ? proof : (proof as { txHash: string }).txHash;
      if (status === 402) {
        expect(JSON.parse(answer.headers.get("payment-response") ?? "")).toEqual({ txHash, verified: false });
      }
      return answer;
    };
    const ask = () => challengeFor(server.guest, path);

    test.each([
      ["", "no text at all"],
      ["{", "broken JSON"],
      ["[]", "no object"],
      ["{}", "no hash"],
      ['{"txHash":7}', "a hash that is no text"],
      ["0x12", "a short hash"],
      ["x".repeat(66), "letters that are no hash"],
      [`{"txHash":"0x${"1".repeat(64)}","signature":"0x12"}`, "a signature over nothing"],
      [JSON.stringify({ txHash: `0x${"1".repeat(64)}`, memo: "x".repeat(5_000) }), "too long"],
      [JSON.stringify({ x402Version: 1, payload: {} }), "version 1 of x402"],
      [JSON.stringify({ x402Version: 2, accepted: { scheme: "upto" }, payload: {} }), "an unknown scheme"],
    ])("400 for %s: %s", async (text) => {
      expectError(await present(server.guest, path, text), 400, "invalid_payment_signature");
    });

    test("for a header Host without a host, which the challenge would repeat", async () => {
      using http = await RawHttp.open(server.url);
      const { status, body } = await http.ask("GET", path, { host: "a<b", "x402-version": "2" });
      expect([status, JSON.parse(body).code]).toEqual([400, "invalid_request"]);
    });

    test("for an unknown hash or one of another chain", async () => {
      await ask();
      const { headers } = await refused(`0x${"ab".repeat(32)}`, 402, "tx_not_found");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    });

    test("for another recipient, another token, too small an amount or a reverted transaction", async () => {
      await ask();
      await refused(await payToken(bank, 1, accountOf(7).address, price), 402, "wrong_recipient");
      await refused(await bank.anvil.send(1, PLATFORM, price), 402, "wrong_currency");
      // A token that is not accepted is ignored, whatever it calls itself.
      await refused(await payToken(bank, 1, PLATFORM, price, bank.look_alike), 402, "wrong_recipient");
      await refused(await payToken(bank, 1, PLATFORM, price - 1n), 402, "amount_too_low");
      const args = [PLATFORM, 10n ** 30n] as const;
      await refused(await bank.anvil.call("TestToken", bank.usdc, "transfer", args, { from: 1 }), 402, "tx_failed");
    });

    test("if the transaction is older than the challenge", async () => {
      const late = await sell(server, "late");
      const txHash = await payToken(bank, 1, PLATFORM, price);
      await challengeFor(ann, late);
      await server.ctx.db
        .updateTable("payment_challenges")
        .set((eb) => ({ created_at: eb("created_at", "+", 3_600_000) }))
        .where("resource", "=", late)
        .execute();
      const answer = await present(ann, late, txHash);
      expectError(answer, 402, "tx_not_found");
      expect(answer.body.details).toEqual({ problem: "too_old" });
    });

    test("unless it only seems older by the server's clock and contains the challenge's id", async () => {
      const ahead = await sell(server, "ahead", COIN_PRICE);
      const { paymentId } = await challengeFor(ann, ahead);
      const amount = BigInt(COIN_PRICE.amount);
      const txHash = await bank.anvil.send(1, PLATFORM, amount, paymentId as `0x${string}`);
      await server.ctx.db
        .updateTable("payment_challenges")
        .set((eb) => ({ created_at: eb("created_at", "+", 3_600_000) }))
        .where("resource", "=", ahead)
        .execute();
      expect((await present(ann, ahead, txHash)).status).toBe(200);
    });

    test("without a challenge, and the hash stays unused", async () => {
      const cold = await sell(server, "cold");
      const txHash = await payToken(bank, 1, PLATFORM, price);
      const answer = await present(ann, cold, txHash);
      expectError(answer, 402, "payment_required");
      expect((await present(ann, cold, txHash)).status).toBe(200);
    });

    test("if the transaction paid for something else, or another payment settled the challenge", async () => {
      const [one, other] = [await sell(server, "one"), await sell(server, "other")];
      const { paymentId } = await challengeFor(ann, one);
      await challengeFor(ann, other);
      const txHash = await payToken(bank, 1, PLATFORM, price);
      expect((await present(ann, one, { txHash, paymentId })).status).toBe(200);
      expectError(await present(ann, other, txHash), 409, "payment_already_used");
      const second = await payToken(bank, 1, PLATFORM, price);
      const answer = await present(ann, one, { txHash: second, paymentId });
      expectError(answer, 402, "payment_required");
      expect(answer.body.details).toEqual({ problem: "challenge_used" });
      // That did not use it up.
      expect((await present(ann, other, second)).status).toBe(200);
    });

    test("with another user's signature, another user's challenge in the transaction, or another user's proven wallet", async () => {
      const { paymentId } = await ask();
      const txHash = await payToken(bank, 4, PLATFORM, price);
      const thief = { txHash, paymentId, ...(await signed(5, paymentId, path)) };
      expectError(await present(server.guest, path, thief), 400, "invalid_payment_signature");
      expectError(await present(server.guest, path, { ...thief, payer: null }), 400, "invalid_payment_signature");
      expectError(
        await present(server.guest, path, { ...thief, payer: null, signature: "0x12" }),
        400,
        "invalid_payment_signature",
      );

      const annsPath = await sell(server, "coins", COIN_PRICE);
      const anns = await challengeFor(ann, annsPath);
      await challengeFor(bob, annsPath);
      const named = await bank.anvil.send(5, PLATFORM, BigInt(COIN_PRICE.amount), anns.paymentId as `0x${string}`);
      expectError(await present(bob, annsPath, named), 409, "payment_already_used");
      expect((await present(ann, annsPath, named)).status).toBe(200);

      const cara = await server.user("cara");
      await server.ctx.db
        .updateTable("users")
        .set({ evm_address: accountOf(6).address, evm_proven_at: 1 })
        .where("username", "=", "cara")
        .execute();
      await challengeFor(cara, path);
      await challengeFor(bob, path);
      const caras = await payToken(bank, 6, PLATFORM, price);
      expectError(await present(bob, path, caras), 409, "payment_already_used");
      expect((await present(cara, path, caras)).status).toBe(200);
      const rows = await server.ctx.db
        .selectFrom("payments")
        .select(["binding", "state", "reason"])
        .where("tx_hash", "=", caras)
        .orderBy("id")
        .execute();
      expect(rows).toEqual([
        { binding: null, state: "refused", reason: "not_yours" },
        { binding: "profile", state: "granted", reason: null },
      ]);
    });

    test("if the transaction funds a red packet", async () => {
      await challengeFor(ann, path);
      const txHash = await payToken(bank, 1, PLATFORM, price);
      const receipt = { chain: "evm", chain_id: ANVIL_CHAIN_ID, tx_hash: txHash, purpose: "packet" } as const;
      await server.ctx.db
        .insertInto("chain_receipts")
        .values({ ...receipt, subject: "1", created_at: 0 })
        .execute();
      expectError(await present(ann, path, txHash), 409, "payment_already_used");
    });

    test("for another caller's paymentId, or one of another resource", async () => {
      const { paymentId } = await challengeFor(ann, path);
      const txHash = await payToken(bank, 1, PLATFORM, price);
      expectError(await present(bob, path, { txHash, paymentId }), 402, "payment_required");
      const there = await sell(server, "there");
      expectError(await present(ann, there, { txHash, paymentId }), 402, "payment_required");
      expect((await present(ann, path, { txHash, paymentId })).status).toBe(200);
    });
  });
});
