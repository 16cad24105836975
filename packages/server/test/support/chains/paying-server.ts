import { type Address, getAddress, type Hex } from "viem";
import { ChildServer, freePort } from "../servers/child-server.ts";
import { type Client, eventually, signUp } from "../servers/test-server.ts";
import { ANVIL_CHAIN_ID, type Anvil, accountOf, TREASURY_KEY } from "./anvil.ts";
import { evmWallet, evmWalletOf, proveWallet } from "./wallets.ts";

export const TREASURY = accountOf(0).address;
const SHARE = 10n ** 16n;

/** Returns the settings that a server in its own process needs for a chain. */
export const chainEnv = (rpcUrl: string): Record<string, string> => ({
  PARLEY_EVM_RPC_URL: rpcUrl,
  PARLEY_EVM_CHAIN_ID: String(ANVIL_CHAIN_ID),
  PARLEY_EVM_CONFIRMATIONS: "2",
  PARLEY_EVM_TREASURY_KEY: TREASURY_KEY,
  // Makes shares of 0.01 ETH large enough.
  PARLEY_EVM_MAX_FEE_GWEI: "10",
});

export function payingServer(
  rpcUrl: string,
  dataDir: string,
  env: Record<string, string> = {},
  main?: string,
): ChildServer {
  return new ChildServer(dataDir, freePort(), { ...chainEnv(rpcUrl), ...env }, main === undefined ? {} : { main });
}

/** A user who can claim shares, and their address. */
export interface Claimer {
  client: Client;
  address: Address;
}

/** Registers a user with a proven wallet, which is new by default. */
export async function newClaimer(url: string, name: string, wallet = evmWallet()): Promise<Claimer> {
  const client = await signUp(url, name);
  await proveWallet(client, name, wallet);
  return { client, address: getAddress(wallet.address) };
}

/** Creates a packet of equal shares and funds it on the chain. Resolves when it is active. */
export async function fundedPacket(anvil: Anvil, url: string, count: number): Promise<number> {
  const { client } = await newClaimer(url, "sender", evmWalletOf(accountOf(1)));
  const total = SHARE * BigInt(count);
  const hash: Hex = await anvil.send(1, TREASURY, total);
  await anvil.mine(3);
  const body = {
    channel_slug: "general",
    chain: "evm",
    count,
    split_type: "equal",
    total_amount: String(total),
    tx_hash: hash,
  };
  const made = await eventually("the packet is made", async () => {
    const answer = await client.post("/api/red-packets", body);
    return answer.status === 201
      ? answer.body
      : answer.status >= 500
        ? null
        : Promise.reject(new Error(JSON.stringify(answer.body)));
  });
  await eventually("the packet is active", async () => {
    const { body } = await client.get(`/api/red-packets/${made.packet_id}`);
    return body.red_packet.status === "active";
  });
  return made.packet_id;
}

/** Returns the number of shares that arrived at an address. */
export async function sharesAt(anvil: Anvil, address: Address): Promise<bigint> {
  return (await anvil.client.getBalance({ address })) / SHARE;
}

/** Mines blocks until the claim is paid; returns its payout. */
export function settled(anvil: Anvil, { client }: Claimer, packetId: number, timeoutMs = 40_000) {
  const probe = async () => {
    await anvil.mine();
    const { body } = await client.get(`/api/red-packets/${packetId}`);
    const { payout } = body.red_packet.my_claim;
    return payout.status === "settled" ? payout : null;
  };
  return eventually("the claim is paid", probe, timeoutMs);
}
