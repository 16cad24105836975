import { afterEach, beforeEach, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { USDC } from "../support/chains/scripted-chain.ts";
import { evmWallet } from "../support/chains/wallets.ts";
import { expectError } from "../support/expect-error.ts";
import { staff } from "../support/staff.ts";

/** Shares on a chain are paid only to addresses that their owners have proven and that can receive the asset. */
let world: ChainWorld;
beforeEach(async () => {
  world = await ChainWorld.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const TOKEN = { currency: "USDC", total_amount: "30000", token_address: "0xUsdc" };

async function tokenPacket(): Promise<number> {
  const { packet_id } = (await world.create(TOKEN)).body;
  expect((await world.fund(packet_id, world.put({}, { asset: USDC, amount: 30_000n }))).status).toBe(200);
  return packet_id;
}

test("a claim without an address names the routes to prove one", async () => {
  const refused = await world.claim(await world.active(), world.cat);
  expectError(refused, 422, "wallet_address_required");
  expect(refused.body.details).toEqual({
    reason: "no_address",
    address: null,
    challenge: "POST /api/user/cat/wallets/challenge",
    proof: "POST /api/user/cat/wallets/proof",
  });
});

test("an unproven address gets no share, and its claim takes none", async () => {
  const id = await world.active();
  await world.address("cat", "0xSomebodyElse");
  const refused = await world.claim(id, world.cat);
  expectError(refused, 422, "wallet_address_required");
  expect(refused.body.details).toMatchObject({ reason: "not_proven", address: "0xSomebodyElse" });
  expect((await world.read(id)).red_packet.remaining_count).toBe(3);
  expect(world.payouts.requested).toEqual([]);
  await world.provenAddress("cat", "0xCat");
  expect((await world.claim(id, world.cat)).body.claim.address).toBe("0xCat");
});

test("an administrator who changes a user's wallet gets none of their shares", async () => {
  const id = await world.active();
  const owner = await staff(world.server, "rosa", 3);
  const hers = evmWallet().address;
  expect((await owner.put("/api/user/bob", { evm_address: hers })).status).toBe(200);
  const refused = await world.claim(id);
  expectError(refused, 422, "wallet_address_required");
  expect(refused.body.details).toMatchObject({ reason: "not_proven", address: hers });
  expect(world.payouts.requested).toEqual([]);
});

test("a claimer without an account for the token gets no share until the account exists", async () => {
  const id = await tokenPacket();
  world.chain.withoutAccount.add("0xBob");
  const refused = await world.claim(id);
  expectError(refused, 422, "wallet_address_required");
  expect(refused.body.details).toMatchObject({ reason: "no_token_account", address: "0xBob", currency: "USDC" });
  expect((await world.read(id)).red_packet.remaining_count).toBe(3);
  expect(world.payouts.requested).toEqual([]);
  world.chain.withoutAccount.clear();
  expect((await world.claim(id)).status).toBe(200);
  // A repeated claim is answered even if the account has changed.
  world.chain.withoutAccount.add("0xBob");
  world.chain.isSilent = true;
  expect((await world.claim(id)).body.message).toBe("You have already claimed this share.");
});

test("a chain that does not respond about the account takes no share", async () => {
  const id = await tokenPacket();
  world.chain.isSilent = true;
  expectError(await world.claim(id), 502, "chain_unavailable");
  world.chain.isSilent = false;
  expect((await world.read(id)).red_packet.remaining_count).toBe(3);
  expect((await world.claim(id)).body.claim.rank).toBe(1);
});

test("an address that loses its proof while the chain is asked is not paid", async () => {
  const id = await tokenPacket();
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.chain.canReceive = async () => {
    asked.resolve();
    await answered.promise;
    return true;
  };
  const claim = world.claim(id);
  await asked.promise;
  // The wallet's owner proves it for another account.
  await world.address("bob", "0xBob");
  await world.provenAddress("cat", "0xBob");
  answered.resolve();
  const refused = await claim;
  expectError(refused, 422, "wallet_address_required");
  expect(refused.body.details).toMatchObject({ reason: "not_proven" });
  expect(world.payouts.requested).toEqual([]);
});
