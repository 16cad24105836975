import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, concatHex, encodeFunctionData, type Hex } from "viem";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { contracts } from "../support/chains/contracts.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { TREASURY } from "../support/chains/paying-server.ts";
import { evmWalletOf, proveWallet } from "../support/chains/wallets.ts";
import { expectError } from "../support/expect-error.ts";
import { giveProvenAddress } from "../support/proven-address.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** A whole server on a real chain: funding by address and by reference, coin and token, and refusals. */

const UNIT = 10n ** 16n;
/** The same as in evmSettings. */
const DEPTH = 3;
/** Accounts in support/chains/anvil.ts: the sender, the claimer, a stranger, and a claimer whose account runs code. */
const [SENDER, CLAIMER, STRANGER, MALLORY] = [1, 2, 3, 4];

let anvil: Anvil;
let usdc: Address;
let server: TestServer;
let ann: Client;
let bob: Client;
beforeAll(async () => {
  anvil = await Anvil.start();
  const holders = [TREASURY, accountOf(SENDER).address, accountOf(STRANGER).address];
  usdc = await anvil.token("USDC", 6, holders, 1_000_000_000n);
  server = await startTestServer({ rateLimits: "off", ...evmSettings(anvil.url, usdc) });
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
  await giveProvenAddress(server, "ann", { chain: "evm", address: accountOf(SENDER).address });
  await giveProvenAddress(server, "bob", { chain: "evm", address: accountOf(CLAIMER).address });
});
afterAll(async () => {
  if (server !== undefined) expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
  await server?.[Symbol.asyncDispose]();
  await anvil?.[Symbol.asyncDispose]();
});

const create = (more = {}) =>
  ann.post("/api/red-packets", {
    channel_slug: "general",
    chain: "evm",
    total_amount: String(2n * UNIT),
    count: 2,
    split_type: "equal",
    ...more,
  });
const fund = (id: number, tx_hash: Hex) => ann.post(`/api/red-packets/${id}/fund`, { tx_hash });
const packetOf = async (id: number) => (await ann.get(`/api/red-packets/${id}`)).body.red_packet;
const active = (id: number) => eventually("it is active", async () => (await packetOf(id)).status === "active", 20_000);

test("a packet of coins from the sender's address is funded when deep enough, claimed, and paid out on the chain", async () => {
  const { packet_id, deposit } = (await create()).body;
  expect(deposit).toMatchObject({ address: TREASURY, amount: String(2n * UNIT), chain_id: 31_337 });
  const hash = await anvil.send(SENDER, TREASURY, 2n * UNIT);
  const named = await fund(packet_id, hash);
  expect(named.body.red_packet).toMatchObject({
    status: "pending_funding",
    funding: { status: "pending", tx_hash: hash },
  });
  expectError(await bob.post(`/api/red-packets/${packet_id}/claim`), 409, "packet_not_active");
  await anvil.mine(DEPTH);
  await active(packet_id);
  const before = await anvil.client.getBalance({ address: accountOf(CLAIMER).address });
  expect((await bob.post(`/api/red-packets/${packet_id}/claim`)).body.claim.amount).toBe(String(UNIT));
  const payout = await eventually(
    "it is paid",
    async () => {
      await anvil.mine();
      const { my_claim } = (await bob.get(`/api/red-packets/${packet_id}`)).body.red_packet;
      return my_claim.payout.status === "settled" ? my_claim.payout : null;
    },
    40_000,
  );
  expect(payout).toMatchObject({ gas_paid_by: "platform", tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(await anvil.client.getBalance({ address: accountOf(CLAIMER).address })).toBe(before + UNIT);
  expectError(await create({ tx_hash: hash }), 409, "tx_already_used");
});

test("a share below three times the maximum gas cost of its payout is refused", async () => {
  // 100,000 units of gas at 10 billionths, as in evmSettings.
  const least = 3n * 100_000n * 10n * 10n ** 9n;
  expectError(await create({ total_amount: String(2n * least - 1n) }), 400, "share_too_small");
  expect((await create({ total_amount: String(2n * least) })).body.red_packet.fairness.min_share).toBe(String(least));
});

test("a claimer whose account runs code that burns gas (EIP-7702) is not paid, and costs the treasury nothing", async () => {
  const mallory = accountOf(MALLORY);
  const client = await server.user("mallory");
  await proveWallet(client, "mallory", evmWalletOf(mallory));
  const burner = await anvil.deploy("Burner", [330_000n, 330_000n]);
  const authorization = await anvil.client.signAuthorization({
    account: mallory,
    contractAddress: burner,
    executor: "self",
  });
  const delegation = { account: mallory, to: mallory.address, authorizationList: [authorization], gas: 500_000n };
  await anvil.included(await anvil.client.sendTransaction(delegation));
  expect(await anvil.client.getCode({ address: mallory.address })).toStartWith("0xef0100");
  const { packet_id } = (await create()).body;
  await fund(packet_id, await anvil.send(SENDER, TREASURY, 2n * UNIT));
  await anvil.mine(DEPTH);
  await active(packet_id);
  const before = await anvil.client.getBalance({ address: TREASURY });
  expect((await client.post(`/api/red-packets/${packet_id}/claim`)).status).toBe(200);
  const admin = await staff(server, "rosa", 2);
  await eventually("its payout is refused by the simulation", async () => {
    const { payouts } = (await admin.get("/api/admin/payouts")).body;
    return payouts.some(({ hold }: { hold: string | null }) => hold === "would_fail");
  });
  expect(await anvil.client.getBalance({ address: TREASURY })).toBe(before);
});

test("a coin or token from any address funds a packet by the reference in the calldata", async () => {
  const coin = (await create()).body;
  const token = (await create({ currency: "USDC", total_amount: "500000" })).body;
  const bare = await anvil.send(STRANGER, TREASURY, 2n * UNIT);
  const byCoin = await anvil.send(STRANGER, TREASURY, 2n * UNIT, coin.deposit.reference);
  const { abi } = contracts().TestToken;
  const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [TREASURY, 500_000n] });
  const byToken = await anvil.send(STRANGER, usdc, 0n, concatHex([transfer, token.deposit.reference]));
  await anvil.mine(DEPTH);
  const refused = await fund(coin.packet_id, bare);
  expectError(refused, 422, "funding_mismatch");
  expect(refused.body.details).toEqual({ problem: "wrong_sender" });
  expect((await fund(coin.packet_id, byCoin)).body.red_packet.status).toBe("active");
  expect((await fund(token.packet_id, byToken)).body.red_packet).toMatchObject({
    status: "active",
    token_address: usdc,
  });
});

test("transfers that fund a packet are distinguished from those that do not", async () => {
  const { packet_id } = (await create()).body;
  const wrong: [string, Hex][] = [
    ["wrong_recipient", await anvil.send(SENDER, accountOf(STRANGER).address, 2n * UNIT)],
    ["wrong_amount", await anvil.send(SENDER, TREASURY, 2n * UNIT - 1n)],
    ["wrong_amount", await anvil.send(SENDER, TREASURY, 2n * UNIT + 1n)],
    ["wrong_currency", await anvil.call("TestToken", usdc, "transfer", [TREASURY, 5n], { from: SENDER })],
    // A token that is not allowed counts for nothing.
    ["wrong_recipient", await foreignToken()],
    ["tx_failed", await reverted()],
  ];
  await anvil.mine(DEPTH);
  for (const [problem, hash] of wrong) {
    const answer = await fund(packet_id, hash);
    expectError(answer, 422, "funding_mismatch");
    expect([problem, answer.body.details]).toEqual([problem, { problem }]);
    expectError(await create({ tx_hash: hash }), 422, "funding_mismatch");
  }
  expect(await packetOf(packet_id)).toMatchObject({ status: "pending_funding", funding: { status: "waiting" } });
  const right = await anvil.send(SENDER, TREASURY, 2n * UNIT);
  await anvil.mine(DEPTH);
  expect((await fund(packet_id, right)).body.red_packet.status).toBe("active");
});

async function foreignToken(): Promise<Hex> {
  const other = await anvil.token("FAKE", 18, [accountOf(SENDER).address], 2n * UNIT);
  return anvil.call("TestToken", other, "transfer", [TREASURY, 2n * UNIT], { from: SENDER });
}

/** A transfer of more than the balance fails on the chain. */
async function reverted(): Promise<Hex> {
  const { abi } = contracts().TestToken;
  const data = encodeFunctionData({ abi, functionName: "transfer", args: [TREASURY, 10n ** 30n] });
  return anvil.send(SENDER, usdc, 0n, data);
}

test("a transfer removed by a reorganisation credits nothing, and credits the packet when it returns", async () => {
  const { packet_id } = (await create()).body;
  const hash = await anvil.send(SENDER, TREASURY, 2n * UNIT);
  const { value: _, ...sent } = await anvil.client.getTransaction({ hash });
  expect((await fund(packet_id, hash)).body.red_packet.funding.status).toBe("pending");
  await anvil.reorganise(1);
  await anvil.mine(DEPTH);
  const again = await fund(packet_id, hash);
  expect(again.body.red_packet).toMatchObject({ status: "pending_funding", funding: { status: "pending" } });
  // It is sent again, with the nonce that is free again.
  expect(await anvil.client.getTransactionCount({ address: accountOf(SENDER).address })).toBe(sent.nonce);
  const second = await anvil.send(SENDER, TREASURY, 2n * UNIT);
  await anvil.mine(DEPTH);
  expect((await fund(packet_id, second)).body.red_packet.status).toBe("active");
});

test("shares worth less than their gas are refused", async () => {
  const small = await create({ total_amount: "1000", count: 2 });
  expectError(small, 400, "share_too_small");
  const { min_share, min_total } = small.body.details;
  expect(BigInt(min_share)).toBeGreaterThan(21_000n);
  expect(BigInt(min_total)).toBe(2n * BigInt(min_share));
});
