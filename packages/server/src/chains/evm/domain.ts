import {
  type Address,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
} from "viem";
import type { SigningDomain } from "../chain.ts";

const TOKEN = parseAbi([
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);
/** EIP-5267: name, version, chain and contract, and no other fields. */
const PLAIN_FIELDS = "0x0f";
const TEXT_MAX = 128;

/** Returns the result of a call to the token; null if it reverts. */
type View = (data: Hex) => Promise<Hex | null>;

/**
 * Returns the domain by which the token's owners sign, as the token itself states it (EIP-5267, or the way USDC does)
 * and checked against the hash it uses, so that nobody signs a transfer that the token would refuse. null if the token
 * states none, or its domain has more fields.
 */
export async function signingDomain(view: View, chainId: number, token: string): Promise<SigningDomain | null> {
  const told = await toldDomain(view, chainId, token);
  if (told !== null) return told;
  const [name, version, separator] = await Promise.all([
    read(view, "name"),
    read(view, "version"),
    read(view, "DOMAIN_SEPARATOR"),
  ]);
  if (name === null || version === null || !isText(name) || !isText(version)) return null;
  const domain = { name, version, chainId, verifyingContract: getAddress(token) };
  return separator === domainSeparator({ domain }) ? { name, version } : null;
}

async function toldDomain(view: View, chainId: number, token: string): Promise<SigningDomain | null> {
  const data = await view(encodeFunctionData({ abi: TOKEN, functionName: "eip712Domain" }));
  if (data === null) return null;
  try {
    const told = decodeFunctionResult({ abi: TOKEN, functionName: "eip712Domain", data });
    const [fields, name, version, chain, contract] = told;
    const isPlain = fields === PLAIN_FIELDS && chain === BigInt(chainId) && contract === (getAddress(token) as Address);
    return isPlain && isText(name) && isText(version) ? { name, version } : null;
  } catch {
    return null; // another function has that name
  }
}

async function read(view: View, functionName: "name" | "version" | "DOMAIN_SEPARATOR"): Promise<string | null> {
  const data = await view(encodeFunctionData({ abi: TOKEN, functionName }));
  if (data === null) return null;
  try {
    return decodeFunctionResult({ abi: TOKEN, functionName, data });
  } catch {
    return null;
  }
}

const isText = (text: string): boolean => text.length > 0 && text.length <= TEXT_MAX;
