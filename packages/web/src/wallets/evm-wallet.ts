/** What a browser's wallet puts into the page (EIP-1193). */
export interface EvmWallet {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** A transfer the person is asked to make. */
export interface TransferWanted {
  /** Who is paid. */
  readonly to: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly chainId: number;
  /** The token's contract; null: the native coin. */
  readonly tokenAddress: string | null;
  /** Stands behind what is called, so that the transfer says what it is for. Hex. */
  readonly reference: string;
}

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER = "0xa9059cbb";

/** Codes of EIP-1193 and EIP-3326. */
const REFUSED = 4001;
const UNKNOWN_CHAIN = 4902;

/** The wallet of this browser; null: it has none. */
export function evmWallet(): EvmWallet | null {
  const found = (globalThis as { ethereum?: Partial<EvmWallet> }).ethereum;
  return typeof found?.request === "function" ? (found as EvmWallet) : null;
}

/** That transfer, as `eth_sendTransaction` takes it. */
export function transferCall({ to, amount, tokenAddress, reference }: TransferWanted): {
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

/** Asks the person to make the transfer; gives its hash. @throws WalletError */
export async function makeTransfer(wallet: EvmWallet, wanted: TransferWanted): Promise<string> {
  const from = await accountOf(wallet);
  await switchTo(wallet, wanted.chainId);
  return textOf(await ask(wallet, "eth_sendTransaction", [{ from, ...transferCall(wanted) }]));
}

/** Asks the person to sign the text with that address (EIP-191); gives the signature. @throws WalletError */
export async function signText(wallet: EvmWallet, address: string, text: string): Promise<string> {
  await accountOf(wallet);
  const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return textOf(await ask(wallet, "personal_sign", [`0x${hex}`, address]));
}

/** Why a wallet did not do it. */
export type WalletProblem = "refused" | "unknown_chain" | "wrong_chain" | "no_answer" | "other";

/** What a wallet said instead of doing it; nothing was sent. */
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
  // Some wallets answer before the person has decided: on another chain the same address may be nobody's.
  if (!(await isThere())) throw new WalletError("wrong_chain");
}

/** The address the person lets this page know. @throws WalletError */
export async function accountOf(wallet: EvmWallet): Promise<string> {
  const accounts = await ask(wallet, "eth_requestAccounts");
  return textOf(Array.isArray(accounts) ? accounts[0] : undefined);
}

/** What wallets throw is often a plain object with `code` and `message`. */
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
