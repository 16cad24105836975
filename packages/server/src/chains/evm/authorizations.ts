import {
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  pad,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Authorization, AuthorizationKey, Authorizations, SigningDomain } from "../chain.ts";
import { RpcFailure, RpcRefusal } from "../rpc/failure.ts";
import type { RpcServer } from "../rpc/server.ts";
import { signingDomain } from "./domain.ts";
import { type EvmNetwork, expectChain, settledHeight } from "./network.ts";
import { Data, MaybeHeader, Quantity, RpcLogs } from "./shapes.ts";
import { signerOf } from "./signature.ts";
import { AUTHORIZATION_USED } from "./transaction.ts";

const TOKEN = parseAbi(["function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"]);
const TRANSFER = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;
/** Blocks per log request, which most servers allow. */
const SPAN = 1_000;
/** Spans per query; together they take seconds at most. */
const SPANS = 20;

/** Signed transfers of an EVM chain's tokens (EIP-3009). */
export function evmAuthorizations(network: EvmNetwork): Authorizations {
  const { quorum, chainId } = network;
  return {
    domainOf: (token) =>
      quorum.agree(async (server, signal) => {
        await expectChain(network, server, signal);
        const probe = await view(server, signal, token, stateCall({ authorizer: zeroAddress, nonce: zeroHash }));
        return boolOf(probe) === null
          ? null
          : signingDomain((data) => view(server, signal, token, data), chainId, token);
      }, JSON.stringify),
    async signerOf(token, domain, authorization, signature) {
      const hash = hashOf(chainId, token, domain, authorization);
      return hash === null ? null : signerOf(hash, signature);
    },
    async lookAt(key) {
      const [isUsed, height] = await Promise.all([
        quorum.agree((server, signal) => isUsedAt(network, server, signal, key, "latest")),
        quorum.vouched(async (server, signal) => BigInt(await server.call(Quantity, "eth_blockNumber", [], signal))),
      ]);
      return { isUsed, height: Number(height) };
    },
    hasLapsed: (key, validBefore) =>
      quorum.agree((server, signal) => hasLapsedBy(network, server, signal, key, validBefore)),
    async findUse(key, fromHeight) {
      const hash = await quorum.agree((server, signal) => useBy(network, server, signal, key, fromHeight));
      return hash === "none" ? null : hash;
    },
  };
}

/**
 * Returns the hash that an owner signs (EIP-712); null if it cannot be signed, for example because a number is out of
 * range.
 */
function hashOf(
  chainId: number,
  token: string,
  { name, version }: SigningDomain,
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
): Hex | null {
  try {
    return hashTypedData({
      domain: { name, version, chainId, verifyingContract: getAddress(token) },
      types: TRANSFER,
      primaryType: "TransferWithAuthorization",
      message: { from: getAddress(from), to: getAddress(to), value, validAfter, validBefore, nonce: nonce as Hex },
    });
  } catch {
    return null;
  }
}

const stateCall = ({ authorizer, nonce }: Omit<AuthorizationKey, "token">): Hex =>
  encodeFunctionData({ abi: TOKEN, functionName: "authorizationState", args: [getAddress(authorizer), nonce as Hex] });

function boolOf(data: Hex | null): boolean | null {
  if (data === null) return null;
  try {
    return decodeFunctionResult({ abi: TOKEN, functionName: "authorizationState", data });
  } catch {
    return null; // another function has that name
  }
}

/** Returns a contract's answer; null if it reverts or has no such function. */
async function view(
  server: RpcServer,
  signal: AbortSignal,
  to: string,
  data: Hex,
  block: string = "latest",
): Promise<Hex | null> {
  try {
    const answer = await server.call(Data, "eth_call", [{ to, data }, block], signal);
    return answer === "0x" ? null : (answer as Hex);
  } catch (error) {
    if (error instanceof RpcRefusal && (error.code === 3 || /revert/i.test(error.text))) return null;
    throw error;
  }
}

async function isUsedAt(
  network: EvmNetwork,
  server: RpcServer,
  signal: AbortSignal,
  key: AuthorizationKey,
  block: string,
): Promise<boolean> {
  const [data] = await Promise.all([
    view(server, signal, key.token, stateCall(key), block),
    expectChain(network, server, signal),
  ]);
  const isUsed = boolOf(data);
  if (isUsed === null) throw new RpcFailure("malformed");
  return isUsed;
}

async function hasLapsedBy(
  network: EvmNetwork,
  server: RpcServer,
  signal: AbortSignal,
  key: AuthorizationKey,
  validBefore: number,
): Promise<boolean> {
  const settled = await settledHeight(network, server, signal);
  if (settled < 0) return false;
  const block = `0x${settled.toString(16)}`;
  const [header, isUsed] = await Promise.all([
    server.call(MaybeHeader, "eth_getBlockByNumber", [block, false], signal),
    isUsedAt(network, server, signal, key, block),
  ]);
  if (header === null) throw new RpcFailure("malformed");
  return Number(BigInt(header.timestamp)) * 1_000 >= validBefore && !isUsed;
}

/**
 * Finds the transaction in the logs; "none" if no block up to the newest has it. @throws RpcFailure if there are too
 * many blocks to search
 */
async function useBy(
  network: EvmNetwork,
  server: RpcServer,
  signal: AbortSignal,
  { token, authorizer, nonce }: AuthorizationKey,
  fromHeight: number,
): Promise<string> {
  const [head] = await Promise.all([
    server.call(Quantity, "eth_blockNumber", [], signal),
    expectChain(network, server, signal),
  ]);
  const last = Number(BigInt(head));
  const topics = [AUTHORIZATION_USED, pad(getAddress(authorizer)).toLowerCase(), nonce];
  for (let span = 0; span < SPANS; span++) {
    const from = fromHeight + span * SPAN;
    if (from > last) return "none";
    const [fromBlock, toBlock] = [from, Math.min(from + SPAN - 1, last)].map((height) => `0x${height.toString(16)}`);
    const logs = await server.call(RpcLogs, "eth_getLogs", [{ address: token, topics, fromBlock, toBlock }], signal);
    const found = logs.find(
      (log) =>
        log.removed !== true &&
        log.address.toLowerCase() === token.toLowerCase() &&
        topics.every((topic, i) => log.topics[i]?.toLowerCase() === topic),
    );
    if (found !== undefined) return found.transactionHash.toLowerCase();
  }
  throw new RpcFailure("too_large");
}
