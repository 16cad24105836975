import type { Deposit } from "@parley/protocol/red-packets";

/** What a browser's wallet puts into the page (EIP-1193). */
interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER = "0xa9059cbb";

/** The wallet of this browser; null: it has none. */
export function evmWallet(): Provider | null {
  const found = (globalThis as { ethereum?: Partial<Provider> }).ethereum;
  return typeof found?.request === "function" ? (found as Provider) : null;
}

/** The transaction that makes the deposit, as `eth_sendTransaction` takes it. The reference stands behind what is called. */
export function depositTransaction(
  { address, amount, reference }: Deposit,
  tokenAddress: string | null,
): { to: string; value: string; data: string } {
  const tail = reference.replace(/^0x/, "");
  const value = BigInt(amount).toString(16);
  if (tokenAddress === null) return { to: address, value: `0x${value}`, data: `0x${tail}` };
  const to = address.replace(/^0x/, "").toLowerCase().padStart(64, "0");
  return { to: tokenAddress, value: "0x0", data: `${TRANSFER}${to}${value.padStart(64, "0")}${tail}` };
}

/** Asks the person to make the deposit with the wallet; gives the transaction's hash. Throws what the wallet says. */
export async function payDeposit(wallet: Provider, deposit: Deposit, tokenAddress: string | null): Promise<string> {
  const from = await accountOf(wallet);
  const chainId = `0x${deposit.chain_id.toString(16)}`;
  if (BigInt(textOf(await wallet.request({ method: "eth_chainId" }))) !== BigInt(deposit.chain_id)) {
    await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  }
  const transaction = { from, ...depositTransaction(deposit, tokenAddress) };
  return textOf(await wallet.request({ method: "eth_sendTransaction", params: [transaction] }));
}

/** Asks the person to sign the text with that address (EIP-191); gives the signature. Throws what the wallet says. */
export async function signText(wallet: Provider, address: string, text: string): Promise<string> {
  await accountOf(wallet);
  const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return textOf(await wallet.request({ method: "personal_sign", params: [`0x${hex}`, address] }));
}

async function accountOf(wallet: Provider): Promise<string> {
  const accounts = await wallet.request({ method: "eth_requestAccounts" });
  return textOf(Array.isArray(accounts) ? accounts[0] : undefined);
}

function textOf(answer: unknown): string {
  if (typeof answer !== "string") throw new Error("The wallet gave no answer.");
  return answer;
}

/** What a wallet threw, for a person: it is often a plain object with a `message`. */
export function walletError(error: unknown): unknown {
  if (error instanceof Error || typeof error !== "object" || error === null) return error;
  return new Error("message" in error ? String(error.message) : "The wallet refused.");
}
