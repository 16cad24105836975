import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { TREASURY } from "../support/chains/paying-server.ts";
import { challengeFor, present, sell, signed } from "../support/chains/payment-world.ts";
import { expectError } from "../support/expect-error.ts";
import {
  type Answered,
  type Client,
  eventually,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

/**
 * An attack on a real chain: a stranger writes the buyer's wallet into their own profile and presents the buyer's plain
 * transfers. Payments and packets have the same recipient here, the treasury.
 */

const PRICE = 2n * 10n ** 16n;
/** The same as in evmSettings. */
const DEPTH = 3;
const BUYER = 1;

let anvil: Anvil;
let server: TestServer;
let buyer: Client;
let stranger: Client;
beforeAll(async () => {
  anvil = await Anvil.start();
  server = await startTestServer({ rateLimits: "off", paymentAllowUnbound: false, ...evmSettings(anvil.url) });
  [buyer, stranger] = [await server.user("buyer"), await server.user("stranger")];
  const written = await stranger.put("/api/user/stranger", { evm_address: accountOf(BUYER).address });
  expect(written.status).toBe(200);
});
afterAll(async () => {
  if (server !== undefined) expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
  await server?.[Symbol.asyncDispose]();
  await anvil?.[Symbol.asyncDispose]();
});

/** A transfer from the buyer's wallet without a reference, as deep as the settings require. */
async function pay(amount: bigint | string): Promise<Hex> {
  const hash = await anvil.send(BUYER, TREASURY, BigInt(amount));
  await anvil.mine(DEPTH);
  return hash;
}

const selling = (slug: string) =>
  sell(server, slug, { amount: String(PRICE), currency: "ETH", chain_id: evmSettings(anvil.url).evmChainId });
const newPacket = (total: bigint | string, more = {}) =>
  stranger.post("/api/red-packets", {
    ...{ channel_slug: "general", chain: "evm", total_amount: String(total), count: 2, split_type: "equal" },
    ...more,
  });

function isNotTheirs(answer: Answered): void {
  expectError(answer, 422, "funding_mismatch");
  expect(answer.body.details).toEqual({ problem: "wrong_sender" });
}

test("a buyer's payment funds no packet of a stranger, before or after it is presented", async () => {
  const path = await selling("report");
  const { amount } = await challengeFor(buyer, path);
  const early = (await newPacket(amount)).body.packet_id;
  const hash = await pay(amount);
  isNotTheirs(await stranger.post(`/api/red-packets/${early}/fund`, { tx_hash: hash }));
  isNotTheirs(await newPacket(amount, { tx_hash: hash }));
  expect((await present(buyer, path, hash)).body).toBe("The content of report");
  expectError(await stranger.post(`/api/red-packets/${early}/fund`, { tx_hash: hash }), 409, "tx_already_used");
  expectError(await newPacket(amount, { tx_hash: hash }), 409, "tx_already_used");
  expect((await stranger.get(`/api/red-packets/${early}`)).body.red_packet.status).toBe("pending_funding");
});

test("with strict settings, a stranger's bare hash does not beat the payer's signature", async () => {
  const path = await selling("history");
  const { paymentId } = await challengeFor(buyer, path);
  await challengeFor(stranger, path);
  const hash = await pay(PRICE);
  // The stranger comes first, and keeps coming while the payer's signature is checked.
  const early = await present(stranger, path, hash);
  expectError(early, 402, "payment_required");
  expect(early.body.details).toEqual({ problem: "not_bound" });
  const proof = { txHash: hash, paymentId, ...(await signed(BUYER, paymentId, path)) };
  const attempts = Array.from({ length: 5 }, () => present(stranger, path, hash));
  const bought = eventually("the payer is served", async () => {
    const answer = await present(buyer, path, proof);
    return answer.body.code === "payment_pending" ? null : answer;
  });
  for (const { status } of await Promise.all(attempts)) expect([402, 409]).toContain(status);
  expect((await bought).body).toBe("The content of history");
  expectError(await present(stranger, path, hash), 409, "payment_already_used");
  expectError(await newPacket(PRICE, { tx_hash: hash }), 409, "tx_already_used");
});
