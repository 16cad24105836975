import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Asset } from "../../src/chains/chain.ts";
import { SOL } from "../support/chains/solana.ts";
import type { SolanaCluster } from "../support/chains/solana-cluster.ts";
import { refusal, SolanaTreasury } from "../support/chains/solana-treasury.ts";

/**
 * Payouts that are never included (guarantees P13): they are signed again only once it is final that they cannot be
 * included.
 */

let world: SolanaTreasury;
let cluster: SolanaCluster;
let sol: Asset;
let usdc: Asset;

beforeEach(async () => {
  world = await SolanaTreasury.start();
  cluster = world.cluster;
  ({ sol, usdc } = world.assets);
});
afterEach(() => world[Symbol.asyncDispose]());

describe("a payout that is never included", () => {
  test("is signed again only once that is final, and is then paid once", async () => {
    cluster.isDropping = true;
    const signed = await world.pay(usdc, 10n);
    await world.payer.broadcast(signed);
    expect(await world.stateOf(signed)).toBe("unknown");
    expect(await refusal(world.payer.replaceByFee(signed))).toBe("not_expired");
    cluster.advance(150);
    // The blockhash is no longer accepted, but a fork could still return to an earlier point.
    expect(await world.stateOf(signed)).toBe("unknown");
    expect(await refusal(world.payer.replaceByFee(signed))).toBe("not_expired");
    expect(await refusal(world.payer.broadcast(signed))).toBe("expired");
    cluster.finalize();
    expect(await world.payer.outcome(signed)).toEqual({ state: "expired", isFinal: true, block: null, feePaid: null });
    cluster.isDropping = false;
    const anew = await world.payer.replaceByFee(signed);
    expect(anew.hash).not.toBe(signed.hash);
    await world.payer.broadcast(anew);
    expect(await refusal(world.payer.broadcast(signed))).toBe("expired");
    cluster.finalize();
    expect([await world.stateOf(anew), await world.stateOf(signed)]).toEqual(["final", "expired"]);
    expect(await world.chain.balance(usdc, world.bob)).toBe(10n);
  });

  test("can still be included in its very last block, and has expired one final block later", async () => {
    const signed = await world.pay(sol, SOL);
    const last = Number(signed.validUntil);
    cluster.advance(last - cluster.head("finalized").height);
    expect(cluster.head("finalized").height).toBe(last);
    expect(await world.stateOf(signed)).toBe("unknown");
    cluster.advance();
    expect(await world.stateOf(signed)).toBe("expired");
  });

  test("is not declared expired by a server whose history is too short", async () => {
    const signed = await world.pay(sol, SOL);
    cluster.expire();
    cluster.firstKept = Number(signed.validUntil) - 149;
    expect(await world.stateOf(signed)).toBe("unknown");
    expect(await refusal(world.payer.replaceByFee(signed))).toBe("not_expired");
    cluster.firstKept = Number(signed.validUntil) - 150;
    expect(await world.stateOf(signed)).toBe("expired");
  });

  test("has not expired if it failed", async () => {
    const signed = await world.pay(usdc, 1_000n);
    const rest = await world.pay(usdc, 1_000n);
    await world.payer.broadcast(rest);
    expect(await refusal(world.payer.broadcast(signed))).toBe("insufficient_funds");
    cluster.send(signed.bytes, { skipPreflight: true }); // like a server without preflight checks
    cluster.expire();
    expect(await world.payer.outcome(signed)).toMatchObject({ state: "failed", isFinal: true, feePaid: 5_015n });
    expect(await refusal(world.payer.replaceByFee(signed))).toBe("not_expired");
  });

  test("is not declared expired too early because of one of three servers", async () => {
    await world.behind(3, async (liar) => {
      const signed = await world.pay(sol, SOL);
      cluster.isDropping = true;
      liar.lie("getEpochInfo", (info) => ({ ...(info as object), blockHeight: 10 ** 9 }));
      liar.lie("isBlockhashValid", (answer) => ({ ...(answer as object), value: false }));
      expect(await world.stateOf(signed)).toBe("unknown");
      // The same holds for a server that reported a height that was too low.
      expect(await world.stateOf({ ...signed, validUntil: 1n })).toBe("unknown");
    });
  });

  test("is not signed again if a single server knows it, however many do not", async () => {
    await world.behind(3, async (...proxies) => {
      const signed = await world.pay(sol, SOL);
      await world.payer.broadcast(signed);
      cluster.expire();
      for (const proxy of proxies.slice(0, 2)) {
        proxy.lie("getSignatureStatuses", (answer) => ({ ...(answer as object), value: [null] }));
      }
      expect(await world.stateOf(signed)).toBe("unknown");
      expect(await refusal(world.payer.replaceByFee(signed))).toBe("not_expired");
    });
  });

  test("is not declared expired by a lagging server or with two silent ones", async () => {
    await world.behind(3, async (...proxies) => {
      const signed = await world.pay(sol, SOL);
      cluster.expire();
      for (const proxy of proxies.slice(0, 2)) {
        proxy.lie("getSignatureStatuses", (answer) => ({ ...(answer as object), context: { slot: 1 } }));
      }
      expect(await world.stateOf(signed)).toBe("unknown");
      for (const proxy of proxies.slice(0, 2)) proxy.faults.set("*", { kind: "status", status: 500 });
      expect(await refusal(world.payer.outcome(signed))).toBe("chain_unavailable");
      expect(await refusal(world.payer.replaceByFee(signed))).toBe("chain_unavailable");
    });
  });
});
