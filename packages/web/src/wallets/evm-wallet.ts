/** The provider that a wallet injects into the page (EIP-1193). */
export interface EvmWallet {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** A transfer the user is asked to make. */
export interface TransferRequest {
  /** The recipient's address. */
  readonly to: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly chainId: number;
  /** The token's contract; null: the native coin. */
  readonly tokenAddress: string | null;
  /** Appended to the call data, so that the transfer identifies its purpose. Hex. */
  readonly reference: string;
}

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER = "0xa9059cbb";

/** Codes of EIP-1193 and EIP-3326. */
const REFUSED = 4001;
const UNKNOWN_CHAIN = 4902;

/** Returns this browser's wallet; null: it has none. */
export function evmWallet(): EvmWallet | null {
  const found = (globalThis as { ethereum?: Partial<EvmWallet> }).ethereum;
  return typeof found?.request === "function" ? (found as EvmWallet) : null;
}

/** Returns the transfer as a parameter of `eth_sendTransaction`. */
export function transferCall({ to, amount, tokenAddress, reference }: TransferRequest): {
  to: string;
  value: string;
  data: string;
} {
  const tail = reference.replace(/^0x/, "");
  const value = BigInt(amount).toString(16);
  if (tokenAddress === null) return { to, value: `0x${value}`, data: `0x${tail}` };
  const recipient = to.replace(/^0x/, "").toLowerCase().padStart(64, "0");
  return { to: tokenAddress, value: "0x0", data: `${TRANSFER}${recipient}${value.padStart(64, "0")}${tail}` };
}

/** Asks the user to make the transfer; returns its hash. @throws WalletError */
export async function makeTransfer(wallet: EvmWallet, wanted: TransferRequest): Promise<string> {
  const from = await accountOf(wallet);
  await switchTo(wallet, wanted.chainId);
  return textOf(await ask(wallet, "eth_sendTransaction", [{ from, ...transferCall(wanted) }]));
}

/** Asks the user to sign the text with the address (EIP-191); returns the signature. @throws WalletError */
export async function signText(wallet: EvmWallet, address: string, text: string): Promise<string> {
  await accountOf(wallet);
  const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return textOf(await ask(wallet, "personal_sign", [`0x${hex}`, address]));
}

/** Why a wallet failed. */
export type WalletProblem = "refused" | "unknown_chain" | "wrong_chain" | "no_answer" | "other";

/** A wallet's failure; nothing was sent. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly problem: WalletProblem;
  constructor(problem: WalletProblem, message: string = problem) {
    super(message);
    this.problem = problem;
  }
}

async function switchTo(wallet: EvmWallet, chainId: number): Promise<void> {
  const isThere = async () => BigInt(textOf(await ask(wallet, "eth_chainId"))) === BigInt(chainId);
  if (await isThere()) return;
  await ask(wallet, "wallet_switchEthereumChain", [{ chainId: `0x${chainId.toString(16)}` }]);
  // Some wallets answer before the user has decided. On another chain the same address may have no owner.
  if (!(await isThere())) throw new WalletError("wrong_chain");
}

/** Returns the address the user lets this page see. @throws WalletError */
export async function accountOf(wallet: EvmWallet): Promise<string> {
  const accounts = await ask(wallet, "eth_requestAccounts");
  return textOf(Array.isArray(accounts) ? accounts[0] : undefined);
}

/** Wallets often throw a plain object with `code` and `message`. */
async function ask(wallet: EvmWallet, method: string, params?: readonly unknown[]): Promise<unknown> {
  try {
    return await wallet.request(params === undefined ? { method } : { method, params });
  } catch (error) {
    const { code, message } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
    if (code === REFUSED) throw new WalletError("refused");
    if (code === UNKNOWN_CHAIN) throw new WalletError("unknown_chain");
    throw new WalletError("other", typeof message === "string" ? message : String(error));
  }
}

function textOf(answer: unknown): string {
  if (typeof answer !== "string") throw new WalletError("no_answer");
  return answer;
}
