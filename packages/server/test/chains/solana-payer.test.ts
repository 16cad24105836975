import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { getBase64Encoder } from "@solana/kit";
import { AuthorityType, getSetAuthorityInstruction } from "@solana-program/token";
import type { Asset } from "../../src/chains/chain.ts";
import { endow, makeTokenAccount, SOL, send, solTransfer, tokenAccount, wallet } from "../support/chains/solana.ts";
import { hashOf, type SolanaCluster } from "../support/chains/solana-cluster.ts";
import { refusal, SolanaTreasury } from "../support/chains/solana-treasury.ts";

/** The treasury pays with real programs on a cluster that advances on request. */

const FEE = 5_000n;

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

test("a payout in SOL is signed, sent, included and final", async () => {
  const signed = await world.pay(sol, SOL);
  expect(signed).toMatchObject({ nonce: null, validUntil: BigInt(cluster.head("finalized").height + 150) });
  expect(await world.payer.nextNonce()).toBeNull();
  expect(await world.payer.outcome(signed)).toEqual({ state: "unknown", isFinal: false, block: null, feePaid: null });
  await world.payer.broadcast(signed);
  expect(await world.payer.outcome(signed)).toMatchObject({ state: "pending", feePaid: null });
  cluster.advance();
  const { feePaid, block } = await world.payer.outcome(signed);
  expect(block?.number).toBe(cluster.head("confirmed").slot);
  expect(feePaid).toBe(10n * SOL - SOL - world.has(world.address));
  expect(feePaid).toBe(signed.fee);
  cluster.finalize();
  expect(await world.payer.outcome(signed)).toMatchObject({ state: "final", isFinal: true });
  expect(world.has(world.bob)).toBe(SOL);
});

test("a payout in a token is signed, sent, included and final, and costs only the fee", async () => {
  const before = world.has(world.address);
  const signed = await world.pay(usdc, 300n);
  await world.payer.broadcast(signed);
  cluster.finalize();
  const { state, feePaid } = await world.payer.outcome(signed);
  expect(state).toBe("final");
  expect(feePaid).toBe(before - world.has(world.address));
  expect(feePaid).toBe(signed.fee);
  expect(signed.fee).toBeLessThanOrEqual(world.chain.worstTransferFee(usdc));
  expect(await world.chain.balance(usdc, world.bob)).toBe(300n);
  const { transfers, payer: signer } = await world.chain.observe(signed.hash);
  expect(transfers).toEqual([{ asset: usdc, sender: world.address, recipient: world.bob, amount: 300n }]);
  expect(signer).toBe(world.address);
});

test("a token is not sent to an owner without an account for it, so the treasury never pays rent", async () => {
  const cat = (await wallet(cluster)).address;
  expect(await world.chain.canReceive(usdc, cat)).toBe(false);
  expect(await world.chain.canReceive(sol, cat)).toBe(true);
  const before = world.has(world.address);
  expect(await refusal(world.pay(usdc, 10n, { to: cat }))).toBe("would_fail");
  await makeTokenAccount(cluster, world.issuer, { mint: world.mint, owner: cat });
  cluster.advance();
  expect(await world.chain.canReceive(usdc, cat)).toBe(true);
  await world.payer.broadcast(await world.pay(usdc, 10n, { to: cat }));
  cluster.finalize();
  expect(await world.chain.balance(usdc, cat)).toBe(10n);
  expect(before - world.has(world.address)).toBeLessThanOrEqual(world.chain.worstTransferFee(usdc));
});

test("a token account that its owner has given away receives nothing", async () => {
  const cat = await wallet(cluster);
  await makeTokenAccount(cluster, world.issuer, { mint: world.mint, owner: cat.address });
  const owned = await tokenAccount(cat.address, world.mint);
  const give = getSetAuthorityInstruction({
    owned,
    owner: cat,
    authorityType: AuthorityType.AccountOwner,
    newAuthority: world.issuer.address,
  });
  await send(cluster, cat, [give]);
  cluster.advance();
  expect(await world.chain.canReceive(usdc, cat.address)).toBe(false);
});

test("two identical payouts are two transactions", async () => {
  for (const [asset, amount] of [
    [sol, SOL],
    [usdc, 50n],
  ] as const) {
    const [one, other] = await Promise.all([world.pay(asset, amount), world.pay(asset, amount)]);
    expect(one.hash).not.toBe(other.hash);
    await world.payer.broadcast(one);
    await world.payer.broadcast(other);
    cluster.finalize();
    expect([await world.stateOf(one), await world.stateOf(other)]).toEqual(["final", "final"]);
  }
  expect(world.has(world.bob)).toBe(2n * SOL);
  expect(await world.chain.balance(usdc, world.bob)).toBe(100n);
});

describe("sending the same bytes again", () => {
  test("pays once at every point of a crash", async () => {
    const signed = await world.pay(usdc, 10n);
    const stored = { ...signed };
    for (const step of [() => {}, () => {}, () => cluster.advance(), () => cluster.finalize()]) {
      // A restarted server knows only what was stored.
      await world.restart();
      await world.payer.broadcast(stored);
      step();
    }
    expect(await world.stateOf(stored)).toBe("final");
    expect(await world.chain.balance(usdc, world.bob)).toBe(10n);
    cluster.expire();
    await world.payer.broadcast(stored); // long included and long expired: no error
    expect(await world.stateOf(stored)).toBe("final");
    expect(await world.chain.balance(usdc, world.bob)).toBe(10n);
    expect(cluster.transactions.filter(({ signature }) => signature === stored.hash)).toHaveLength(1);
  });

  test("works if the payout before it took the whole balance, and if it did so itself", async () => {
    const all = await world.pay(usdc, 1_000n);
    await world.payer.broadcast(all);
    await world.behind(1, async (proxy) => {
      // A lagging server does not know the transaction yet and finds the treasury empty.
      proxy.faults.set("sendTransaction", {
        kind: "refuse",
        code: -32002,
        message: "Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1",
      });
      await world.payer.broadcast(all);
    });
    expect(await world.chain.balance(usdc, world.bob)).toBe(1_000n);
  });

  test("works after a fork dropped the transaction", async () => {
    const signed = await world.pay(sol, SOL);
    await world.payer.broadcast(signed);
    cluster.dropNewest();
    expect(await world.stateOf(signed)).toBe("unknown");
    await world.payer.broadcast(signed);
    cluster.finalize();
    expect(await world.stateOf(signed)).toBe("final");
    expect(world.has(world.bob)).toBe(SOL);
  });

  test("goes to every server, and one that accepts it is enough", async () => {
    await world.behind(3, async (one, other, third) => {
      const signed = await world.pay(sol, SOL);
      one.faults.set("*", { kind: "status", status: 500 });
      other.faults.set("sendTransaction", { kind: "lie", about: () => hashOf("taken, not at all") });
      await world.payer.broadcast(signed);
      expect(third.called).toContain("sendTransaction");
      cluster.finalize();
      expect(world.has(world.bob)).toBe(SOL);
    });
  });
});

describe("a payout is refused before it is signed", () => {
  test("if it exceeds the balance of the token or SOL", async () => {
    expect(await refusal(world.pay(usdc, 1_001n))).toBe("insufficient_funds");
    expect(await refusal(world.pay(usdc, 2n ** 64n))).toBe("insufficient_funds");
    expect(await refusal(world.pay(sol, 10n * SOL))).toBe("insufficient_funds");
    expect(await refusal(world.pay(sol, 11n * SOL))).toBe("insufficient_funds");
    expect(await refusal(world.pay(sol, 2n ** 200n))).toBe("insufficient_funds");
    endow(cluster, world.address, 1_000n);
    expect(await refusal(world.pay(usdc, 1n))).toBe("insufficient_funds");
    endow(cluster, world.address, 0n);
    expect(await refusal(world.pay(usdc, 1n))).toBe("insufficient_funds");
  });

  test("if the treasury or a new recipient would hold less than the minimum of an account", async () => {
    expect(await refusal(world.pay(sol, 10n * SOL - FEE - 1_000n))).toBe("insufficient_funds");
    expect(await refusal(world.pay(sol, 890_879n))).toBe("would_fail");
    expect(await refusal(world.pay(sol, 890_880n))).toBe("none");
    endow(cluster, world.bob, SOL);
    expect(await refusal(world.pay(sol, 1n))).toBe("none");
  });

  test("if it costs more than it may", async () => {
    expect(await refusal(world.pay(usdc, 1n, { feeMax: FEE + 14n }))).toBe("fee_above_limit");
    expect(await refusal(world.pay(usdc, 1n, { feeMax: FEE + 15n }))).toBe("none");
    expect(await refusal(world.pay(sol, SOL, { feeMax: FEE }))).toBe("fee_above_limit");
    expect(await refusal(world.pay(sol, SOL, { feeMax: FEE + 1n }))).toBe("none");
  });

  test("and no server sees a signature before it is stored", async () => {
    await world.behind(1, async (proxy) => {
      const seen: Uint8Array[] = [];
      proxy.lie("simulateTransaction", (answer, [bytes]) => {
        seen.push(new Uint8Array(getBase64Encoder().encode(bytes as string)).slice(1, 65));
        return answer;
      });
      await world.pay(sol, SOL);
      expect(seen).toEqual([new Uint8Array(64)]);
      expect(proxy.called).not.toContain("sendTransaction");
    });
  });
});

describe("servers that lie during signing", () => {
  test("make no difference if they are one of three", async () => {
    const lies: [string, (result: unknown) => unknown][] = [
      [
        "getLatestBlockhash",
        (answer) => ({ ...(answer as object), value: { blockhash: hashOf("x"), lastValidBlockHeight: 5 } }),
      ],
      [
        "getLatestBlockhash",
        (answer) => ({ ...(answer as object), value: { blockhash: hashOf("x"), lastValidBlockHeight: 10 ** 9 } }),
      ],
      ["getRecentPrioritizationFees", () => [{ slot: 1, prioritizationFee: 10 ** 12 }]],
      ["simulateTransaction", (answer) => ({ ...(answer as object), value: { err: "AccountNotFound" } })],
      ["getGenesisHash", () => hashOf("elsewhere")],
    ];
    for (const [method, about] of lies) {
      await world.behind(3, async (liar) => {
        liar.lie(method, about);
        const signed = await world.pay(usdc, 1n);
        expect(signed.fee).toBe(5_015n);
        expect(signed.validUntil).toBeLessThanOrEqual(BigInt(cluster.head("finalized").height + 150));
        await world.payer.broadcast(signed);
        cluster.finalize();
        expect(await world.stateOf(signed)).toBe("final");
      });
    }
  });

  test("cannot, as one of three, invent an account or the minimum of an empty wallet", async () => {
    const stranger = (await wallet(cluster)).address;
    await world.behind(3, async (liar) => {
      liar.lie("getAccountInfo", (answer) => ({ ...(answer as object), value: null }));
      liar.lie("getMinimumBalanceForRentExemption", () => 10 ** 12);
      expect(await world.chain.canReceive(usdc, world.bob)).toBe(true);
      expect(await world.chain.canReceive(usdc, stranger)).toBe(false);
      expect(await world.chain.leastTransfer(sol)).toBe(890_880n);
      expect(await world.chain.leastTransfer(usdc)).toBe(0n);
    });
  });

  test("prevent signing if they are two of three", async () => {
    await world.behind(3, async (...proxies) => {
      for (const proxy of proxies.slice(0, 2)) {
        proxy.lie("getLatestBlockhash", (answer) => ({
          ...(answer as object),
          value: { blockhash: hashOf(proxy.url), lastValidBlockHeight: 10 ** 9 },
        }));
        proxy.lie("isBlockhashValid", (answer) => ({ ...(answer as object), value: false }));
      }
      expect(await refusal(world.pay(sol, SOL))).toBe("chain_unavailable");
    });
  });
});

test("bytes that are not one of our payouts are refused", async () => {
  const signed = await world.pay(sol, SOL);
  const { bytes } = await send(cluster, world.issuer, [solTransfer(world.issuer, world.address, 1n)], { hold: true });
  expect(await refusal(world.payer.outcome({ ...signed, bytes }))).not.toBe("none");
  expect(await refusal(world.payer.outcome({ ...signed, validUntil: null }))).not.toBe("none");
});
