import { afterEach, beforeEach, expect, test } from "bun:test";
import { paymentMessage } from "@parley/protocol/payments";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, present, sell } from "../support/chains/payment-world.ts";
import { evmWallet, type TestWallet } from "../support/chains/wallets.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";

const PRICE = 1_000_000n;

/** Of several callers who claim one transfer, the one with the strongest claim gets what it paid for (protocol §5). */
eachDatabase((_, open) => {
  let world: ChainWorld;
  let wallet: TestWallet;
  let path: string;
  beforeEach(async () => {
    world = await ChainWorld.start({}, { database: await open() });
    wallet = evmWallet();
    path = await sell(world.server, "thing", { amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const pay = (more: object = {}, amount = PRICE) => world.put(more, { sender: wallet.address, amount });
  /** A proof that the wallet's owner signs for a challenge of this caller. */
  const signedBy = async (who: Client, txHash: string) => {
    const { paymentId } = await challengeFor(who, path);
    const signature = await wallet.sign(paymentMessage(paymentId, path));
    return { txHash, paymentId, payer: wallet.address, signature };
  };

  test("a payer's signature that arrives while a bare hash is being checked wins the resource", async () => {
    await challengeFor(world.cat, path);
    const hash = pay();
    const proof = await signedBy(world.server.guest, hash);
    const gate = Promise.withResolvers<void>();
    const { observe } = world.chain;
    let looks = 0;
    world.chain.observe = async (txHash) => {
      looks += 1;
      await gate.promise;
      return observe.call(world.chain, txHash);
    };
    const thief = present(world.cat, path, hash);
    await eventually("the bare hash is looked at", () => looks === 1);
    const takeProof = world.server.ctx.limiter.take.bind(world.server.ctx.limiter);
    const shown = Promise.withResolvers<void>();
    world.server.ctx.limiter.take = (policy, subject) => {
      if (policy.name === "payment") shown.resolve();
      return takeProof(policy, subject);
    };
    const payer = present(world.server.guest, path, proof);
    await shown.promise;
    // A request gets its turn within a few reads of the database.
    for (let n = 0; n < 20; n += 1) await challengeFor(world.bob, path);
    gate.resolve();
    expect((await payer).status).toBe(200);
    expectError(await thief, 409, "payment_already_used");
  });

  test("a payer's signature takes over the check of another node, even if that node is stuck", async () => {
    const hash = pay();
    const proof = await signedBy(world.ann, hash);
    const now = world.clock.now();
    await world.server.ctx.db
      .insertInto("payments")
      .values({
        ...{ chain: "evm", chain_id: world.chain.chainId, tx_hash: hash, resource: path, principal: "u999" },
        ...{ state: "verifying", lease_until: now + 20_000, created_at: now },
        ...{ currency: "ETH", recipient: "0xTreasury", price: String(PRICE) },
      })
      .execute();
    expectError(await present(world.ann, path, hash), 402, "payment_pending");
    const forged = { ...proof, signature: await evmWallet().sign("anything") };
    expectError(await present(world.ann, path, forged), 400, "invalid_payment_signature");
    expect((await present(world.ann, path, proof)).status).toBe(200);
    const rows = await world.server.ctx.db
      .selectFrom("payments")
      .select(["state", "binding", "principal"])
      .where("tx_hash", "=", hash)
      .where("principal", "=", "u999")
      .execute();
    expect(rows).toEqual([{ state: "refused", binding: null, principal: "u999" }]);
  });

  test("a signature is enough for the bare price, and an unproven address in a profile is not", async () => {
    await world[Symbol.asyncDispose]();
    world = await ChainWorld.start({ paymentAllowUnbound: false }, { database: await open() });
    path = await sell(world.server, "thing", { amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId });
    const hash = pay();
    const proof = await signedBy(world.ann, hash);
    await world.address("cat", wallet.address);
    await challengeFor(world.cat, path);
    expectError(await present(world.cat, path, hash), 402, "payment_required");
    expect((await present(world.ann, path, proof)).status).toBe(200);
  });

  test("a transfer with another challenge's id or a packet's reference pays for that, whoever signs", async () => {
    const bobs = await challengeFor(world.bob, path);
    const carrying = pay({ references: [bobs.paymentId] });
    expectError(await present(world.ann, path, await signedBy(world.ann, carrying)), 409, "payment_already_used");
    expect((await present(world.bob, path, carrying)).status).toBe(200);

    const { deposit } = (await world.create({}, world.bob)).body;
    const funding = pay({ references: [deposit.reference] });
    expectError(await present(world.ann, path, await signedBy(world.ann, funding)), 409, "payment_already_used");
  });

  test("a transfer with one of the caller's challenges that is signed for another pays the one it carries", async () => {
    const first = await challengeFor(world.ann, path);
    const carrying = pay({ references: [first.paymentId] });
    await world.server.ctx.db
      .updateTable("payment_challenges")
      .set((eb) => ({ created_at: eb("created_at", "-", 13 * 3_600_000) }))
      .where("payment_id", "=", first.paymentId)
      .execute();
    const proof = await signedBy(world.ann, carrying);
    expect(proof.paymentId).not.toBe(first.paymentId);
    expect((await present(world.ann, path, proof)).status).toBe(200);
    const { payment_id } = await world.server.ctx.db
      .selectFrom("payments")
      .select("payment_id")
      .where("tx_hash", "=", carrying)
      .executeTakeFirstOrThrow();
    expect(payment_id).toBe(first.paymentId);
  });
});
