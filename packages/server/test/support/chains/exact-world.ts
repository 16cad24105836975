import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client } from "@x402/fetch";
import { type Address, type Hex, toHex } from "viem";
import { systemClock } from "../../../src/clock.ts";
import type { Config } from "../../../src/config/config.ts";
import type { Overrides } from "../../../src/server.ts";
import { type Answered, type Client, eventually, startTestServer, type TestServer } from "../servers/test-server.ts";
import { ANVIL_CHAIN_ID, Anvil, accountOf } from "./anvil.ts";
import { evmSettings } from "./evm.ts";
import { Facilitator } from "./facilitator.ts";
import { ACCOUNTS, PLATFORM, PRICE, shopOn } from "./payment-world.ts";

export const NETWORK = `eip155:${ANVIL_CHAIN_ID}` as const;
export const BEARER = "Bearer of-the-facilitator";

/** A chain with a token that is moved by signature (EIP-3009), and a facilitator that submits such transfers. */
export interface ExactBank extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly usdc: Address;
  readonly facilitator: Facilitator;
}

export async function openExactBank(): Promise<ExactBank> {
  const anvil = await Anvil.start();
  const usdc = await anvil.deploy("SignedToken", ["USDC", 6]);
  for (const index of ACCOUNTS) await anvil.call("SignedToken", usdc, "mint", [accountOf(index).address, 10n ** 12n]);
  const facilitator = new Facilitator(anvil);
  return {
    anvil,
    usdc,
    facilitator,
    async [Symbol.asyncDispose]() {
      await facilitator[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

/** Starts a server that sells on this chain with this facilitator and already knows the signing domain of the token. */
export function exactServer(
  bank: ExactBank,
  overrides: Overrides = {},
  settings: Partial<Config> = {},
): Promise<TestServer> {
  return startTestServer(
    {
      ...evmSettings(bank.anvil.url, bank.usdc),
      evmConfirmations: 1,
      paymentRecipients: [PLATFORM],
      // This server accepts only proofs that identify the payer.
      paymentAllowUnbound: false,
      facilitatorUrl: bank.facilitator.url,
      facilitatorAuthorization: BEARER,
      ...settings,
    },
    overrides,
  );
}

/** Opens a chain, a server that sells on it, and two customers. */
export async function openExactShop(overrides: Overrides = {}, settings: Partial<Config> = {}) {
  return shopOn(await openExactBank(), (bank) => exactServer(bank, overrides, settings));
}

/** Returns a standard x402 client that signs for this account. */
export const stockClient = (bank: Pick<ExactBank, "usdc">, index: number): x402Client =>
  new x402Client().register(NETWORK, new ExactEvmScheme(accountOf(index))).setSpendControls({
    allowedAssets: [{ network: NETWORK, asset: bank.usdc, maxAmountPerPayment: "2000000" }],
  });

/** The content of the x402 headers. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into headers of any shape and fails where they differ.
export const unpack = (text: string | null): any => JSON.parse(Buffer.from(text ?? "", "base64").toString());
export const pack = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

/**
 * Sends the requests of an x402 client until the server offers the entry for wallets that only sign. Returns the
 * content of `PAYMENT-REQUIRED`.
 */
export function offeredTo(who: Client, path: string) {
  return eventually("authorizations are offered", async () => {
    const challenge = unpack(
      (await who.get(path, { headers: { "x402-version": "2" } })).headers.get("payment-required"),
    );
    return challenge.accepts.length === 2 ? challenge : null;
  });
}

/** The parts of the signed data that differ from the offer. */
export interface Signing {
  index?: number;
  authorization?: Record<string, string>;
  domain?: object;
}

/** The signed type as EIP-3009 defines it, written independently of the server's. */
export const SIGNED_TRANSFER = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Returns the payload for an offer, signed without a client library. */
export async function sign(
  // biome-ignore lint/suspicious/noExplicitAny: as it came over the wire.
  { accepts: [accepted], resource }: any,
  { index = 1, authorization: changes = {}, domain = {} }: Signing = {},
) {
  const account = accountOf(index);
  const authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(Math.floor(systemClock.now() / 1_000) + 600),
    nonce: toHex(systemClock.random(32)),
    ...changes,
  };
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { name, version } = accepted.extra;
  const signature: Hex = await account.signTypedData({
    domain: { name, version, chainId: ANVIL_CHAIN_ID, verifyingContract: accepted.asset, ...domain },
    types: SIGNED_TRANSFER,
    primaryType: "TransferWithAuthorization",
    message: {
      ...{ from, to: to as Address, nonce: nonce as Hex },
      ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
    },
  });
  return { x402Version: 2, accepted, resource, payload: { authorization, signature } };
}

export const presentPacked = (who: Client, path: string, payload: object | string): Promise<Answered> =>
  who.get(path, { headers: { "payment-signature": typeof payload === "string" ? payload : pack(payload) } });

/** Returns how many payments of the price have arrived. */
export async function arrived(bank: ExactBank): Promise<number> {
  const { contracts } = await import("./contracts.ts");
  const { abi } = contracts().SignedToken;
  const args = [PLATFORM];
  const balance = await bank.anvil.client.readContract({ abi, address: bank.usdc, functionName: "balanceOf", args });
  return Number(BigInt(String(balance)) / BigInt(PRICE.amount));
}

/** Returns the granted rows of `payments` for the resource, and its rows of `payment_settlements`. */
export async function rowsOf({ ctx: { db } }: TestServer, resource: string) {
  return {
    granted: await db
      .selectFrom("payments")
      .selectAll()
      .where("resource", "=", resource)
      .where("state", "=", "granted")
      .execute(),
    settlements: await db.selectFrom("payment_settlements").selectAll().where("resource", "=", resource).execute(),
  };
}
