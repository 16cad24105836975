import { expect } from "bun:test";
import { type DEMAND_HEADER, type PaymentDemand, paymentMessage } from "@parley/protocol/payments";
import type { Address, Hex } from "viem";
import type { Config } from "../../../src/config/config.ts";
import { recheckPayments } from "../../../src/payments/recheck.ts";
import type { Overrides } from "../../../src/server.ts";
import { type Answered, type Client, startTestServer, type TestServer } from "../servers/test-server.ts";
import { staff } from "../staff.ts";
import { ANVIL_CHAIN_ID, Anvil, accountOf } from "./anvil.ts";
import { evmSettings } from "./evm.ts";

/** The recipient, unless the owner of the channel has a wallet: anvil's account 8. */
export const PLATFORM: Address = accountOf(8).address;
export const PRICE = { amount: "1000000", currency: "USDC", chain_id: ANVIL_CHAIN_ID };
export const COIN_PRICE = { ...PRICE, amount: "1000000000000000", currency: "ETH" };

export const ACCOUNTS = [1, 2, 3, 4, 5, 6];

/** A chain with two tokens; the server accepts one of them. */
export interface Bank extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly usdc: Address;
  readonly look_alike: Address;
}

/** The environment of a server process that takes payments on the bank's chain. */
export const bankEnv = ({ anvil, usdc }: Pick<Bank, "anvil" | "usdc">): Record<string, string> => ({
  PARLEY_RATE_LIMITS: "off",
  PARLEY_EVM_RPC_URL: anvil.url,
  PARLEY_EVM_CHAIN_ID: String(ANVIL_CHAIN_ID),
  PARLEY_EVM_CONFIRMATIONS: "1",
  PARLEY_EVM_TOKENS: `USDC=${usdc}:6`,
  PARLEY_PAYMENT_RECIPIENT: PLATFORM,
});

export async function openBank(): Promise<Bank> {
  const anvil = await Anvil.start();
  const holders = ACCOUNTS.map((index) => accountOf(index).address);
  const usdc = await anvil.token("USDC", 6, holders, 10n ** 12n);
  const look_alike = await anvil.token("USDC", 6, holders, 10n ** 12n);
  return { anvil, usdc, look_alike, [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose]() };
}

/** Starts a server that accepts payments on this chain after one block. */
export function sellingServer(
  bank: Bank,
  overrides: Overrides = {},
  settings: Partial<Config> = {},
): Promise<TestServer> {
  const chain = { ...evmSettings(bank.anvil.url, bank.usdc), evmConfirmations: 1, paymentRecipients: [PLATFORM] };
  return startTestServer({ ...chain, ...settings }, overrides);
}

/** A chain, a server that sells on it, and two customers. Disposing of the shop disposes of all of them. */
export interface Shop<B = Bank> extends AsyncDisposable {
  readonly bank: B;
  readonly server: TestServer;
  readonly ann: Client;
  readonly bob: Client;
}

export async function openShop(overrides: Overrides = {}, settings: Partial<Config> = {}): Promise<Shop> {
  return shopOn(await openBank(), (bank) => sellingServer(bank, overrides, settings));
}

export async function shopOn<B extends AsyncDisposable>(
  bank: B,
  open: (bank: B) => Promise<TestServer>,
): Promise<Shop<B>> {
  const world = new AsyncDisposableStack();
  world.use(bank);
  const server = world.use(await open(bank));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  return { bank, server, ann, bob, [Symbol.asyncDispose]: () => world.disposeAsync() };
}

/** Pays in USDC or another token, and waits until it is mined. */
export const payToken = (
  bank: Bank,
  from: number,
  to: Address,
  amount: bigint,
  token: Address = bank.usdc,
): Promise<Hex> => bank.anvil.call("TestToken", token, "transfer", [to, amount], { from });

/** Puts a resource up for sale, by default a text; returns its path. */
export async function sell(
  server: TestServer,
  slug: string,
  price: object = PRICE,
  content: object = { text: `The content of ${slug}` },
): Promise<string> {
  sellers.set(server, sellers.get(server) ?? staff(server, "seller", 2));
  const seller = await sellers.get(server);
  const answer = await seller?.post("/api/admin/paid", { slug, price, ...content });
  expect(answer?.status).toBe(201);
  return `/api/paid/${slug}`;
}
const sellers = new WeakMap<TestServer, Promise<Client>>();

/** Sends a request with this proof of payment. */
export const present = (who: Client, path: string, proof: string | object, method: "GET" | "POST" = "GET") =>
  who.send(method, path, {
    headers: { "payment-signature": typeof proof === "string" ? proof : JSON.stringify(proof) },
  });

/** Returns the part of a proof that shows that the payment is theirs. */
export const signed = async (from: number, paymentId: string, resource: string) => ({
  payer: accountOf(from).address,
  signature: await accountOf(from).signMessage({ message: paymentMessage(paymentId, resource) }),
});

type Challenge = Pick<PaymentDemand, (typeof DEMAND_HEADER)[number]> & { recipient: Address };

/** Returns the challenge in the header of a 402. */
export function challengeIn(answer: Answered): Challenge {
  expect(answer.status).toBe(402);
  return JSON.parse(answer.headers.get("payment-required") ?? "null");
}

/**
 * Expects the amount of a challenge to be the price plus a tail: at most a thousandth of the price, and no more than 9,999
 * units.
 */
export function expectTail(amount: string, price: bigint): void {
  const most = price / 1_000n > 9_999n ? 9_999n : price / 1_000n;
  expect(BigInt(amount) > price && BigInt(amount) <= price + most).toBeTrue();
}

/** Requests the resource and returns the challenge. */
export const challengeFor = async (who: Client, path: string) => challengeIn(await who.get(path));

/**
 * Presents the same proof this many times at once and returns the statuses. Uses a separate process: in this one, the
 * limit of Bun for open requests would keep the server from calling the chain.
 */
export async function replay(who: Client, path: string, proof: string, times: number): Promise<number[]> {
  const headers = { ...who.credential, "payment-signature": proof };
  const script = `const go = () => fetch(${JSON.stringify(who.url + path)}, { headers: ${JSON.stringify(headers)} });
    const all = await Promise.all(Array.from({ length: ${times} }, go));
    console.log(JSON.stringify(all.map(({ status }) => status)));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text());
}

/** Makes the server check the payments of the transaction again, as it does by itself every few minutes. */
export async function lookAgain({ ctx }: TestServer, txHash: string): Promise<void> {
  await ctx.db
    .updateTable("payments")
    .set({ due_at: 1 })
    .where("tx_hash", "=", txHash)
    .where("state", "=", "granted")
    .execute();
  await recheckPayments(ctx);
}

/** Repeats the check until the server considers the transaction gone. */
export async function lookUntilGone(server: TestServer, txHash: string): Promise<void> {
  for (let look = 0; look < 3; look++) await lookAgain(server, txHash);
}
