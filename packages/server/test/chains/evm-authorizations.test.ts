import { expect, test } from "bun:test";
import { toHex, zeroHash } from "viem";
import type { Authorizations } from "../../src/chains/chain.ts";
import { systemClock } from "../../src/clock.ts";
import { AppError } from "../../src/errors.ts";
import { ANVIL_CHAIN_ID, Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmOver } from "../support/chains/evm.ts";
import { SIGNED_TRANSFER } from "../support/chains/exact-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Facts that the chain reports about signed transfers (EIP-3009), for tokens like OpenZeppelin's and USDC's. */

const anvil = await forAllTests(Anvil.start());
const token = await anvil.deploy("SignedToken", ["USDC", 6]);
await anvil.call("SignedToken", token, "mint", [accountOf(1).address, 1_000n]);

function authorizationsOver(urls: string | readonly string[]): Authorizations {
  const { authorizations } = evmOver(urls, { usdc: token, settings: { evmConfirmations: 1 } });
  if (authorizations === undefined) throw new Error("There are none.");
  return authorizations;
}

/** Signs a transfer. Returns its id, how it is submitted to the chain, and the signature. */
async function signed(value: bigint, nonce = toHex(systemClock.random(32))) {
  const account = accountOf(1);
  const message = {
    from: account.address,
    to: accountOf(2).address,
    value,
    validAfter: 0n,
    validBefore: 2n ** 40n,
    nonce,
  };
  const domain = { name: "Signed Coin", version: "2", chainId: ANVIL_CHAIN_ID, verifyingContract: token };
  const signature = await account.signTypedData({
    domain,
    types: SIGNED_TRANSFER,
    primaryType: "TransferWithAuthorization",
    message,
  });
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
  const args = [...Object.values(message), v, r, s];
  const send = () => anvil.call("SignedToken", token, "transferWithAuthorization", args);
  return { key: { token, authorizer: account.address, nonce }, message, signature, send };
}

test.each([
  ["with EIP-5267", "SignedToken", ["USDC", 6], { name: "Signed Coin", version: "2" }],
  ["like USDC", "OlderSignedToken", ["2"], { name: "Signed Coin", version: "2" }],
  ["whose name and version do not match its hash", "OlderSignedToken", ["1"], null],
  ["without signed transfers", "TestToken", ["PLAIN", 6], null],
  ["that is not a token", "Refuser", [], null],
] as const)("reads the signing domain of a token %s", async (_name, contract, args, expected) => {
  const address = await anvil.deploy(contract, args);
  expect(await authorizationsOver(anvil.url).domainOf(address)).toEqual(expected);
});

test("returns nothing for an address without a contract", async () => {
  expect(await authorizationsOver(anvil.url).domainOf(accountOf(3).address)).toBeNull();
});

test("accepts only the owner's signature over exactly these terms", async () => {
  const authorizations = authorizationsOver(anvil.url);
  const domain = { name: "Signed Coin", version: "2" };
  const { message, signature, key } = await signed(5n);
  expect(await authorizations.signerOf(token, domain, message, signature)).toBe(key.authorizer);
  for (const change of [{ value: 6n }, { to: accountOf(4).address }, { validBefore: 1n }, { nonce: zeroHash }]) {
    expect(await authorizations.signerOf(token, domain, { ...message, ...change }, signature)).not.toBe(key.authorizer);
  }
  expect(await authorizations.signerOf(token, { ...domain, version: "1" }, message, signature)).not.toBe(
    key.authorizer,
  );
  for (const broken of ["0x", `${signature}00`, signature.slice(0, -2), `0x${"ff".repeat(65)}`]) {
    expect(await authorizations.signerOf(token, domain, message, broken)).toBeNull();
  }
});

test("reports whether an authorization was used, by which transaction, and from which height on", async () => {
  const authorizations = authorizationsOver(anvil.url);
  const { key, send } = await signed(5n);
  const before = await authorizations.lookAt(key);
  expect(before).toEqual({ isUsed: false, height: Number(await anvil.client.getBlockNumber()) });
  expect(await authorizations.findUse(key, 0)).toBeNull();
  const hash = await send();
  expect((await authorizations.lookAt(key)).isUsed).toBeTrue();
  expect(await authorizations.findUse(key, before.height)).toBe(hash);
  expect(await authorizations.findUse(key, before.height + 2)).toBeNull();
  const chain = evmOver(anvil.url, { usdc: token, settings: { evmConfirmations: 1 } });
  expect(await chain.observe(hash)).toMatchObject({
    state: "final",
    transfers: [{ sender: key.authorizer, recipient: accountOf(2).address, amount: 5n }],
    authorizations: [key],
  });
  // The transaction is further back than the blocks of a single query.
  await anvil.mine(1_100);
  const late = await signed(6n);
  const lateHash = await late.send();
  expect(await authorizations.findUse(late.key, before.height)).toBe(lateHash);
});

test("an unfinished search over too many blocks gives no result", async () => {
  await using proxy = new RpcProxy(anvil.url);
  proxy.lie("eth_blockNumber", () => "0xffffff");
  proxy.lie("eth_getLogs", () => []);
  const error = await authorizationsOver(proxy.url)
    .findUse((await signed(7n)).key, 0)
    .catch((error) => error);
  expect(error instanceof AppError && error.code).toBe("chain_unavailable");
});

test("an authorization has expired if it is unused in a final block after its time", async () => {
  const authorizations = authorizationsOver(anvil.url);
  const { key, send } = await signed(5n);
  const time = Number((await anvil.client.getBlock()).timestamp) * 1_000;
  expect(await authorizations.hasLapsed(key, time + 1_000)).toBeFalse();
  expect(await authorizations.hasLapsed(key, time)).toBeTrue();
  await send();
  expect(await authorizations.hasLapsed(key, time)).toBeFalse();
});

test("one of three servers can lie or be silent, but two cannot", async () => {
  const proxies = [1, 2, 3].map(() => new RpcProxy(anvil.url));
  const authorizations = authorizationsOver(proxies.map(({ url }) => url));
  const { key, send } = await signed(5n);
  const height = (await authorizations.lookAt(key)).height;
  const hash = await send();
  proxies[0]?.lie("eth_call", () => zeroHash);
  proxies[0]?.lie("eth_blockNumber", () => "0xffffff");
  proxies[0]?.lie("eth_getLogs", () => []);
  const seen = await authorizations.lookAt(key);
  expect(seen.isUsed).toBeTrue();
  expect(seen.height).toBeLessThan(0xffffff);
  expect(await authorizations.findUse(key, height)).toBe(hash);
  proxies[1]?.faults.set("*", { kind: "status", status: 500 });
  const error = await authorizations.lookAt(key).catch((error) => error);
  expect(error instanceof AppError && error.code).toBe("chain_unavailable");
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
});
