import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Address, address, type KeyPairSigner } from "@solana/kit";
import {
  endow,
  makeToken,
  makeTokenAccount,
  SOL,
  send,
  solanaOver,
  solanaSettings,
  solTransfer,
  tokenTransfer,
  wallet,
  withReferences,
} from "../support/chains/solana.ts";
import type { SolanaCluster } from "../support/chains/solana-cluster.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { expectError } from "../support/expect-error.ts";
import { giveProvenAddress } from "../support/proven-address.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** A red packet is created, funded, claimed and paid out with a whole server and a Solana cluster (protocol §6). */

let shim: SolanaShim;
let cluster: SolanaCluster;
let usdc: Address;
let treasury: Address;
/** Alice's wallet, and the address to which Bob is paid. */
let purse: KeyPairSigner;
let bobs: Address;
let server: TestServer;
let alice: Client;
let bob: Client;

beforeEach(async () => {
  shim = new SolanaShim();
  cluster = shim.cluster;
  purse = await wallet(cluster);
  bobs = (await wallet(cluster, 0n)).address;
  treasury = address((await solanaOver(cluster, shim.url)).treasury ?? "");
  endow(cluster, treasury, SOL);
  usdc = await makeToken(cluster, purse, [purse.address], 1_000_000n);
  cluster.finalize();
  server = await startTestServer(solanaSettings(cluster, shim.url, usdc));
  [alice, bob] = [await server.user("alice"), await server.user("bob")];
  await giveProvenAddress(server, "bob", { chain: "solana", address: bobs });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await shim[Symbol.asyncDispose]();
});

async function make(currency: string, total: bigint) {
  const terms = { channel_slug: "general", count: 2, split_type: "equal", chain: "solana", currency };
  const { status, body } = await alice.post("/api/red-packets", { ...terms, total_amount: String(total) });
  expect(status).toBe(201);
  return body;
}

/** Pays the deposit as a wallet does, and waits until it is final. */
async function fund({ packet_id, deposit, red_packet }: Awaited<ReturnType<typeof make>>, { named = true } = {}) {
  const amount = BigInt(deposit.amount);
  const to = address(deposit.address);
  const token = red_packet.token_address !== null;
  const instructions = token
    ? await tokenTransfer(purse, to, { mint: usdc, amount })
    : [solTransfer(purse, to, amount)];
  const last = instructions.pop();
  if (last === undefined) throw new Error("A transfer has an instruction.");
  const marked = named ? withReferences(last, [deposit.reference]) : last;
  const { signature } = await send(cluster, purse, [...instructions, marked]);
  cluster.finalize();
  return alice.post(`/api/red-packets/${packet_id}/fund`, { tx_hash: signature });
}

test.each([
  ["SOL", SOL],
  ["USDC", 50_000n],
])(
  "a red packet of %s is funded by its reference, claimed, and paid out once",
  async (currency, total) => {
    const made = await make(currency, total);
    expect(made.deposit).toMatchObject({ address: treasury, amount: String(total), chain_id: 104 });
    const funded = await fund(made);
    expect(funded.body.red_packet).toMatchObject({ status: "active", funding: { status: "settled" } });
    const claim = () => bob.post(`/api/red-packets/${made.packet_id}/claim`);
    if (currency === "USDC") {
      const refused = await claim();
      expectError(refused, 422, "wallet_address_required");
      expect(refused.body.details).toMatchObject({ reason: "no_token_account", address: bobs });
      await makeTokenAccount(cluster, purse, { mint: usdc, owner: bobs });
      cluster.advance();
    }
    const before = cluster.svm.getBalance(treasury) ?? 0n;
    const { body } = await claim();
    expect(body.claim).toMatchObject({ address: bobs, amount: String(total / 2n), payout: { status: "pending" } });
    const payout = await eventually(
      "the claim is paid out",
      async () => {
        // One at a time: a payout has about a hundred blocks between its creation and its sending, which a slow disk
        // may need.
        cluster.advance();
        const { claims } = (await bob.get(`/api/red-packets/${made.packet_id}`)).body;
        return claims[0].payout.status === "settled" ? claims[0].payout : null;
      },
      60_000,
    );
    expect(cluster.find(payout.tx_hash)?.error).toBeNull();
    const chain = await solanaOver(cluster, shim.url, { usdc });
    const asset = chain.assets.find((one) => one.currency === currency);
    if (asset === undefined) throw new Error("There is no such asset.");
    expect(await chain.balance(asset, bobs)).toBe(total / 2n);
    const spent = before - (cluster.svm.getBalance(treasury) ?? 0n) - (currency === "SOL" ? total / 2n : 0n);
    expect(spent).toBeLessThanOrEqual(chain.worstTransferFee(asset));
  },
  90_000,
);

test("a share of SOL is never smaller than the minimum of an empty wallet", async () => {
  const terms = { channel_slug: "general", count: 2, split_type: "equal", chain: "solana", currency: "SOL" };
  const create = (total: bigint) => alice.post("/api/red-packets", { ...terms, total_amount: String(total) });
  expectError(await create(2n * 890_880n - 1n), 400, "share_too_small");
  expect((await create(2n * 890_880n)).status).toBe(201);
});

test("a transfer without the reference, from a wallet in nobody's profile, funds nothing", async () => {
  const answer = await fund(await make("SOL", SOL), { named: false });
  expect(answer.status).toBe(422);
  expect(answer.body.code).toBe("funding_mismatch");
});
