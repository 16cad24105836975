import { expect, test } from "bun:test";
import { ParleyClient } from "@parley/sdk";
import { accountOf } from "../support/chains/anvil.ts";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { TREASURY } from "../support/chains/scripted-chain.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Data that a form needs to offer packets and prices in coins: GET /api/chains, and the deposit of a waiting packet. */
test("the list is empty without chains, also for guests who cannot read", async () => {
  await using server = await startTestServer({ guestRead: false });
  const { status, body } = await server.guest.get("/api/chains");
  expect([status, body]).toEqual([200, { success: true, chains: [] }]);
});

test("a chain is listed with its coins and their uses", async () => {
  await using world = await ChainWorld.start();
  const answer = await world.cat.get("/api/chains");
  expect(answer.body.chains).toEqual([
    {
      chain: "evm",
      chain_id: 31_337,
      assets: [
        { currency: "ETH", token_address: null, decimals: 18 },
        { currency: "USDC", token_address: "0xUsdc", decimals: 6 },
      ],
      packets: true,
      payments: true,
    },
  ]);
  const { chains } = await new ParleyClient({ url: world.server.url }).payments.chains();
  expect(chains).toEqual(answer.body.chains);
});

test("without a treasury key a chain has no packets, and payments only with a recipient", async () => {
  const chain = { evmRpcUrls: ["http://127.0.0.1:9/"], evmChainId: 31_337, evmTreasuryKey: null };
  await using mute = await startTestServer(chain);
  expect((await mute.guest.get("/api/chains")).body.chains).toMatchObject([{ packets: false, payments: false }]);
  await using selling = await startTestServer({ ...chain, paymentRecipients: [accountOf(8).address] });
  expect((await selling.guest.get("/api/chains")).body.chains).toMatchObject([{ packets: false, payments: true }]);
});

test("only the sender of a waiting packet sees its deposit again", async () => {
  await using world = await ChainWorld.start();
  const { packet_id, deposit } = (await world.create()).body;
  const mine = await world.read(packet_id);
  expect(mine.deposit).toEqual(deposit);
  expect(mine.deposit.address).toBe(TREASURY);
  expect(await world.read(packet_id, world.bob)).not.toHaveProperty("deposit");
  expect(await world.read(packet_id, world.server.guest)).not.toHaveProperty("deposit");
  await world.fund(packet_id, world.put());
  expect(await world.read(packet_id)).not.toHaveProperty("deposit");
});
