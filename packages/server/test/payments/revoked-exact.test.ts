import { afterEach, beforeEach, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, lookUntilGone, present, sell } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";

const MINUTE = 60_000;

/** A payment identified by its exact amount stays its payer's when a reorganisation removes it and brings it back. */
eachDatabase((_, open) => {
  let world: ChainWorld;
  let path: string;
  beforeEach(async () => {
    world = await ChainWorld.start({ paymentAllowUnbound: false }, { database: await open() });
    path = await sell(world.server, "thing", {
      ...{ amount: "1000000", currency: "ETH", chain_id: world.chain.chainId },
    });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  /** A plain transfer from an unknown wallet, and ways for the chain to lose it and include it again. */
  function paid(amount: string) {
    const transaction = world.transaction({}, { sender: "0xElse", amount: BigInt(amount) });
    const txHash = world.chain.put(transaction);
    const goAndComeBack = async () => {
      world.chain.drop(txHash);
      world.clock.advance(20 * MINUTE);
      await lookUntilGone(world.server, txHash);
      world.chain.put(transaction, txHash);
    };
    return { txHash, goAndComeBack };
  }

  test("a payment by exact amount survives a reorganisation for an account", async () => {
    const { amount } = await challengeFor(world.ann, path);
    await challengeFor(world.bob, path);
    const { txHash, goAndComeBack } = paid(String(amount));
    expect((await present(world.ann, path, txHash)).status).toBe(200);
    await goAndComeBack();
    expectError(await present(world.bob, path, txHash), 409, "payment_already_used");
    expect((await present(world.ann, path, txHash)).status).toBe(200);
  });

  test("a payment by exact amount survives a reorganisation for a guest with the challenge's id, and for nobody else", async () => {
    const { guest } = world.server;
    const { amount, paymentId } = await challengeFor(guest, path);
    const other = await challengeFor(guest, path);
    const { txHash, goAndComeBack } = paid(String(amount));
    expect((await present(guest, path, { txHash, paymentId })).status).toBe(200);
    await goAndComeBack();
    for (const stolen of [txHash, { txHash, paymentId: other.paymentId }]) {
      expect((await present(guest, path, stolen)).status).not.toBe(200);
    }
    expect((await present(guest, path, { txHash, paymentId })).status).toBe(200);
  });
});
