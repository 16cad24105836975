import type { Page } from "playwright-core";
import { ANVIL_CHAIN_ID, type Anvil, accountOf } from "../../../server/test/support/chains/anvil.ts";

interface Call {
  method: string;
  params?: readonly unknown[];
}

/**
 * Simulates the browser's wallet (EIP-1193): it asks nobody and forwards everything to anvil, which owns the account.
 * The page reaches it like a real wallet, by `window.ethereum`.
 */
export class BrowserWallet {
  readonly calls: Call[] = [];
  /** The error that the next call of this method throws, as wallets do. */
  refusal: { method: string; code: number; message: string } | null = null;
  /** The chain the wallet is set to; it switches on request. */
  chainId = ANVIL_CHAIN_ID;
  readonly #anvil: Anvil;
  readonly #address: string;

  private constructor(anvil: Anvil, account: number) {
    this.#anvil = anvil;
    this.#address = accountOf(account).address;
  }

  /** Installs the wallet in an open page and in what the page becomes after a reload. */
  static async install(page: Page, anvil: Anvil, account: number): Promise<BrowserWallet> {
    const wallet = new BrowserWallet(anvil, account);
    await page.exposeFunction("askWallet", (call: Call) => wallet.#answer(call));
    const script = `window.ethereum = { async request(call) {
      const { error, result } = await window.askWallet(call);
      if (error) throw error;
      return result;
    } };`;
    await page.addInitScript(script);
    await page.evaluate(script);
    return wallet;
  }

  methods = (): string[] => this.calls.map(({ method }) => method);

  async #answer(call: Call): Promise<{ error?: object; result?: unknown }> {
    this.calls.push(call);
    const { method, params = [] } = call;
    if (this.refusal?.method === method) {
      const { code, message } = this.refusal;
      this.refusal = null;
      return { error: { code, message } };
    }
    switch (method) {
      case "eth_requestAccounts":
        return { result: [this.#address] };
      case "eth_chainId":
        return { result: `0x${this.chainId.toString(16)}` };
      case "wallet_switchEthereumChain":
        this.chainId = Number((params[0] as { chainId: string }).chainId);
        return { result: null };
      default:
        return { result: await this.#anvil.client.request({ method, params } as never) };
    }
  }
}
