import { beforeEach, describe, expect, test } from "bun:test";
import { recheckSettlements } from "../../src/payments/recheck.ts";
import { accountOf } from "../support/chains/anvil.ts";
import {
  arrived,
  exactServer,
  NETWORK,
  offeredTo,
  openExactBank,
  pack,
  presentPacked,
  rowsOf,
  sign,
} from "../support/chains/exact-world.ts";
import type { Answering } from "../support/chains/facilitator.ts";
import { lookAgain, PLATFORM, PRICE, sell } from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { clockAhead } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { impatiently } from "../support/servers/impatient.ts";
import { eventually } from "../support/servers/test-server.ts";

/**
 * Facilitators that are silent, slow, broken or lying, and chains that reorganise: nobody pays without getting, or gets
 * twice.
 */
const clock = clockAhead();

const bank = await forAllTests(openExactBank());
const proxy = await forAllTests(new RpcProxy(bank.anvil.url));
const server = await forAllTests(exactServer(bank, { clock }, { evmRpcUrls: [proxy.url] }));
const ann = await server.user("ann");
beforeEach(() => {
  bank.facilitator.reset();
  proxy.faults.clear();
});

/** Returns a resource for sale, and a signed payload for it. */
async function ordered(slug: string, index = 1) {
  const path = await sell(server, slug);
  const payload = pack(await sign(await offeredTo(ann, path), { index, authorization: validFor(600) }));
  return { path, show: () => presentPacked(ann, path, payload), before: await arrived(bank) };
}

const stateOf = async (path: string) => (await rowsOf(server, path)).settlements.map(({ state }) => state);

/**
 * Advances the time of the chain and then of the server: if the server checks by itself in between, it has not seen
 * anything that makes it wait half a minute.
 */
async function goOn(seconds: number): Promise<void> {
  const next = Math.ceil(clock.now() / 1_000) + seconds;
  await bank.anvil.client.setNextBlockTimestamp({ timestamp: BigInt(next) });
  await bank.anvil.mine();
  clock.ahead += seconds * 1_000;
}

/** By the server's clock, which these tests move. */
function validFor(seconds: number): { validBefore: string } {
  return { validBefore: String(Math.floor(clock.now() / 1_000) + seconds) };
}

/** Checks until the settlement is in that state; the server checks by itself, too. */
const becomes = (path: string, state: string) =>
  eventually(`it is ${state}`, async () => {
    await recheckSettlements(server.ctx);
    return (await stateOf(path))[0] === state;
  });

const hang: Answering = () => new Promise(() => {});

describe("a facilitator that does not say whether it would settle gives 502, and nothing is reserved or paid", () => {
  test.each<[string, Answering]>([
    ["500", () => Response.json({}, { status: 500 })],
    ["401", () => Response.json({ error: "who are you" }, { status: 401 })],
    ["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["another value", () => Response.json({ valid: "yes" })],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 307)],
    ["a response without end", () => Response.json({ isValid: true, padding: "x".repeat(300_000) })],
    ["nothing", hang],
  ])(
    "when it returns %s",
    async (name, answering) => {
      const { path, show, before } = await ordered(`verify-${name.replace(/ /g, "-")}`);
      bank.facilitator.verify = answering;
      const answer = await (answering === hang ? impatiently(server, show) : show());
      expectError(answer, 502, "chain_unavailable");
      expect(answer.headers.has("payment-required")).toBeFalse();
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await rowsOf(server, path)).toEqual({ granted: [], settlements: [] });
      expect(bank.facilitator.settled).toBe(0);
      bank.facilitator.reset();
      expect((await show()).status).toBe(200);
      expect(await arrived(bank)).toBe(before + 1);
    },
    20_000,
  );
});

describe("settling through a facilitator", () => {
  test("gives 502 if the facilitator fails first, and settles the same signature when it is back", async () => {
    const { path, show, before } = await ordered("settle-down");
    bank.facilitator.settle = () => Response.json({}, { status: 503 });
    expectError(await show(), 502, "chain_unavailable");
    expect(await stateOf(path)).toEqual(["settling"]);
    expect(await arrived(bank)).toBe(before);
    bank.facilitator.reset();
    expect((await show()).status).toBe(200);
    expect(await arrived(bank)).toBe(before + 1);
  });

  test.each<[string, Answering]>([
    ["500", async (honest) => honest().then(() => Response.json({}, { status: 500 }))],
    ["a failure", async (honest) => honest().then(() => Response.json({ success: false, transaction: "" }))],
    ["nothing", async (honest, asked) => honest().then(() => hang(honest, asked))],
  ])(
    "grants the payment once if the facilitator settles but responds with %s",
    async (name, answering) => {
      const { path, show, before } = await ordered(`done-${name.replace(/ /g, "-")}`);
      bank.facilitator.settle = answering;
      // Within its two seconds the facilitator has settled.
      expect((await (name === "nothing" ? impatiently(server, show, 2_000) : show())).status).toBe(200);
      expect((await show()).status).toBe(200);
      expect(await arrived(bank)).toBe(before + 1);
      expect((await rowsOf(server, path)).granted).toHaveLength(1);
    },
    30_000,
  );

  test("grants nothing if the facilitator names somebody else's transfer as the settlement", async () => {
    const { path, show, before } = await ordered("foreign");
    const args = [PLATFORM, BigInt(PRICE.amount)];
    const foreign = await bank.anvil.call("SignedToken", bank.usdc, "transfer", args, { from: 3 });
    const lie = () => Response.json({ success: true, transaction: foreign, network: NETWORK });
    bank.facilitator.settle = lie;
    expectError(await show(), 502, "chain_unavailable");
    expect((await rowsOf(server, path)).granted).toEqual([]);
    expect(await stateOf(path)).toEqual(["settling"]);
    // Even one that another user signed.
    const other = await ordered("foreign-signed", 2);
    bank.facilitator.reset();
    expect((await other.show()).status).toBe(200);
    const [granted] = (await rowsOf(server, other.path)).granted;
    bank.facilitator.settle = () => Response.json({ success: true, transaction: granted?.tx_hash, network: NETWORK });
    expectError(await show(), 502, "chain_unavailable");
    bank.facilitator.reset();
    expect((await show()).status).toBe(200);
    expect(await arrived(bank)).toBe(before + 3);
  });

  test.each([
    ["an unknown transaction", `0x${"77".repeat(32)}`],
    ["a malformed hash", "done"],
    ["an empty transaction", ""],
  ])(
    "grants nothing if the facilitator names %s as the settlement, and the payer gets payment_pending",
    async (name, transaction) => {
      const { path, show, before } = await ordered(`missing-${name.length}`);
      bank.facilitator.settle = () => Response.json({ success: true, transaction, network: NETWORK });
      // The server waits for the chain to know the transaction.
      const answer = await impatiently(server, show);
      expectError(answer, 402, "payment_pending");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await rowsOf(server, path)).granted).toEqual([]);
      bank.facilitator.reset();
      expect((await show()).status).toBe(200);
      expect(await arrived(bank)).toBe(before + 1);
    },
    20_000,
  );
});

describe("a settlement whose payer does not return", () => {
  test("is granted when the chain responds again, and the payer gets the resource then", async () => {
    const { path, show, before } = await ordered("away");
    bank.facilitator.settle = async (honest) => {
      const done = await honest();
      proxy.faults.set("*", { kind: "status", status: 500 });
      return Response.json(done);
    };
    expectError(await show(), 502, "chain_unavailable");
    expect(await stateOf(path)).toEqual(["settling"]);
    expect(await arrived(bank)).toBe(before + 1);
    clock.ahead += 31_000;
    await recheckSettlements(server.ctx);
    expect(await stateOf(path)).toEqual(["settling"]);
    proxy.faults.clear();
    clock.ahead += 31_000;
    await becomes(path, "granted");
    expect((await rowsOf(server, path)).granted).toHaveLength(1);
    expect((await show()).status).toBe(200);
    expect(await arrived(bank)).toBe(before + 1);
  });

  test("ends when its missing transfer can no longer happen", async () => {
    const { path, show, before } = await ordered("lapsed");
    bank.facilitator.settle = () => Response.json({ success: false, transaction: "", errorReason: "no_gas" });
    expectError(await show(), 402, "payment_pending");
    clock.ahead += 31_000;
    await recheckSettlements(server.ctx);
    expect(await stateOf(path)).toEqual(["settling"]);
    await goOn(700);
    await becomes(path, "refused");
    expect((await rowsOf(server, path)).settlements).toMatchObject([
      { state: "refused", reason: "authorization_expired", due_at: null },
    ]);
    bank.facilitator.reset();
    expectError(await show(), 402, "payment_required");
    expect(await arrived(bank)).toBe(before);
  });

  test("ends without a grant if the payer cancelled the signature after approval", async () => {
    const path = await sell(server, "cancelled");
    const payload = await sign(await offeredTo(ann, path), { index: 5, authorization: validFor(600) });
    bank.facilitator.settle = () => Response.json({ success: false, transaction: "" });
    expectError(await presentPacked(ann, path, payload), 402, "payment_pending");
    const { nonce } = payload.payload.authorization;
    const account = accountOf(5);
    const signature = await account.signTypedData({
      domain: { name: "Signed Coin", version: "2", chainId: PRICE.chain_id, verifyingContract: bank.usdc },
      types: {
        CancelAuthorization: [
          { name: "authorizer", type: "address" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "CancelAuthorization",
      message: { authorizer: account.address, nonce: nonce as `0x${string}` },
    });
    const parts = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`].toReversed();
    const args = [account.address, nonce, Number(`0x${signature.slice(130)}`), parts[1], parts[0]];
    await bank.anvil.call("SignedToken", bank.usdc, "cancelAuthorization", args);
    await goOn(700);
    await recheckSettlements(server.ctx);
    expect(await stateOf(path)).toEqual(["settling"]);
    await goOn(3_700);
    await becomes(path, "refused");
    expect((await rowsOf(server, path)).settlements).toMatchObject([
      { state: "refused", reason: "authorization_canceled" },
    ]);
  });

  test("is released if no facilitator was asked to settle it", async () => {
    const { path } = await ordered("given-back");
    const name = { chain_id: 1, token_address: "0x", authorizer: "0x", nonce: "0x", principal: "g", payment_id: "0x" };
    const terms = { resource: path, currency: "USDC", recipient: PLATFORM, amount: "1", valid_before: 1 };
    await server.ctx.db
      .insertInto("payment_settlements")
      .values({ ...name, ...terms, state: "reserved", lease_until: 1, created_at: 1, due_at: 1 })
      .execute();
    await recheckSettlements(server.ctx);
    expect(await stateOf(path)).toEqual([]);
  });
});

describe("a slow or reorganising chain", () => {
  test("is waited for until the transfer is final, because these clients ask only once", async () => {
    await using patient = await exactServer(bank, { clock }, { evmConfirmations: 3 });
    const ben = await patient.user("ben");
    const path = await sell(patient, "confirmed");
    const payload = await sign(await offeredTo(ben, path), { authorization: validFor(600) });
    const answer = presentPacked(ben, path, payload);
    await eventually("it is settled", async () => (await rowsOf(patient, path)).settlements[0]?.state === "settled");
    await bank.anvil.mine(2);
    expect((await answer).status).toBe(200);
  });

  test("revokes a purchase whose transfer it drops, and the same signature buys it again, once", async () => {
    const path = await sell(server, "reorganised");
    const payload = await sign(await offeredTo(ann, path), { index: 6, authorization: validFor(800) });
    const before = await arrived(bank);
    expect((await presentPacked(ann, path, payload)).status).toBe(200);
    await bank.anvil.reorganise(1);
    expect(await arrived(bank)).toBe(before);
    clock.ahead += 11 * 60_000;
    await eventually("it is revoked", async () => {
      const { granted } = await rowsOf(server, path);
      for (const { tx_hash } of granted) await lookAgain(server, tx_hash);
      return granted.length === 0;
    });
    expect((await presentPacked(ann, path, payload)).status).toBe(200);
    expect(await arrived(bank)).toBe(before + 1);
    const { granted, settlements } = await rowsOf(server, path);
    expect({ granted: granted.length, settlements: settlements.length }).toEqual({ granted: 1, settlements: 1 });
  });
});
