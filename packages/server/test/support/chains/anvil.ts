import { chmodSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import {
  type Address,
  type Chain,
  createTestClient,
  defineChain,
  getAddress,
  type Hex,
  http,
  publicActions,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { PATIENCE_MS } from "../patience.ts";
import { type ContractName, contracts } from "./contracts.ts";

const require = createRequire(import.meta.url);
const WORDS = "test test test test test test test test test test test junk";

export const ANVIL_CHAIN_ID = 31_337;
/** The private key of the first account. It is public and holds no real money. */
export const TREASURY_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** Returns an account with 10,000 ETH. Account 0 is the treasury. */
export const accountOf = (index: number) => mnemonicToAccount(WORDS, { addressIndex: index });

interface AnvilOptions {
  /** Mines each transaction as it arrives (the default). */
  automine?: boolean;
  /** The blocks in an epoch. `finalized` is two epochs behind the head. */
  slots?: number;
}

/** A whole EVM chain in its own process, on a free port. Always dispose of it with `await using`. */
export class Anvil implements AsyncDisposable {
  readonly url: string;
  /** viem's client with anvil's additional methods. */
  readonly client: ReturnType<typeof clientOf>;
  readonly #automine: boolean;
  readonly #process: Subprocess;

  private constructor(url: string, child: Subprocess, automine: boolean) {
    this.url = url;
    this.#automine = automine;
    this.client = clientOf(url);
    this.#process = child;
  }

  static async start({ automine = true, slots = 1 }: AnvilOptions = {}): Promise<Anvil> {
    const options = ["--port", "0", "--mnemonic", WORDS, "--slots-in-an-epoch", String(slots), "--accounts", "20"];
    const child = Bun.spawn([binary(), ...options, ...(automine ? [] : ["--no-mining"])], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    try {
      return new Anvil(`http://${await addressOf(child.stdout)}`, child, automine);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** Deploys one of the contracts in contracts/tokens.sol. */
  async deploy(name: ContractName, args: readonly unknown[] = []): Promise<Address> {
    const { abi, bytecode } = contracts()[name];
    const hash = await this.client.deployContract({ abi, bytecode, args, account: accountOf(9) });
    const { contractAddress } = await this.included(hash);
    if (contractAddress == null) throw new Error(`${name} was not deployed.`);
    return getAddress(contractAddress);
  }

  /** Deploys a token and mints `amount` of it for each account. */
  async token(symbol: string, decimals: number, holders: readonly Address[], amount: bigint): Promise<Address> {
    const address = await this.deploy("TestToken", [symbol, decimals]);
    for (const holder of holders) await this.call("TestToken", address, "mint", [holder, amount]);
    return address;
  }

  /** Calls a function of a deployed contract and waits until it is mined. */
  async call(
    name: ContractName,
    address: Address,
    functionName: string,
    args: readonly unknown[],
    { from = 9, value = 0n }: { from?: number; value?: bigint } = {},
  ): Promise<Hex> {
    const { abi } = contracts()[name];
    const request = { abi, address, functionName, args, account: accountOf(from), value, gas: 500_000n };
    const hash = await this.client.writeContract(request);
    await this.included(hash);
    return hash;
  }

  /** Sends native coin or a call, and waits until it is mined unless mining is off. */
  async send(from: number, to: Address, value: bigint, data: Hex = "0x"): Promise<Hex> {
    const hash = await this.client.sendTransaction({ account: accountOf(from), to, value, data, gas: 100_000n });
    if (this.#automine) await this.included(hash);
    return hash;
  }

  async mine(blocks = 1): Promise<void> {
    await this.client.mine({ blocks });
  }

  /**
   * Replaces the newest `depth` blocks with as many new ones, which are empty except for the given transactions, each
   * in the block with that number.
   */
  async reorganise(depth: number, again: readonly (readonly [signed: Hex, block: number])[] = []): Promise<void> {
    await this.client.request({ method: "anvil_reorg", params: [depth, again] } as never);
  }

  /**
   * Waits until the receipt, the head and the transaction agree, because anvil shows the receipt a moment earlier. Does
   * not use the wait of viem, which looks again only after the next block: here blocks are not mined at intervals.
   */
  async included(hash: Hex): Promise<TransactionReceipt> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const [receipt, head, transaction] = await Promise.all([
        this.client.getTransactionReceipt({ hash }).catch(noneYet),
        this.client.getBlockNumber({ cacheTime: 0 }),
        this.client.getTransaction({ hash }).catch(noneYet),
      ]);
      const blockNumber = transaction?.blockNumber ?? null;
      if (receipt !== null && blockNumber !== null && head >= blockNumber) return receipt;
      await Bun.sleep(10);
    }
    throw new Error(`${hash} is in no block that all responses agree on.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }
}

function noneYet(error: unknown): null {
  if (error instanceof TransactionReceiptNotFoundError || error instanceof TransactionNotFoundError) return null;
  throw error;
}

function clientOf(url: string) {
  const chain: Chain = defineChain({
    id: ANVIL_CHAIN_ID,
    name: "anvil",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return createTestClient({
    chain,
    mode: "anvil",
    transport: http(url, { timeout: PATIENCE_MS }),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** Returns the path of the program itself, without its wrapper, so that killing it kills the chain. */
function binary(): string {
  const system = process.platform;
  const name = `@foundry-rs/anvil-${system}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const file = system === "win32" ? "anvil.exe" : "anvil";
  const candidates = [
    () => join(dirname(require.resolve(`${name}/package.json`)), "bin", file),
    // If the platform package was omitted, the wrapper has downloaded the program.
    () => join(dirname(require.resolve("@foundry-rs/anvil/bin.mjs")), file),
  ];
  for (const candidate of candidates) {
    try {
      const path = candidate();
      if (!existsSync(path)) continue;
      chmodSync(path, 0o755);
      return path;
    } catch {
      // not this one
    }
  }
  throw new Error(`anvil is not installed for ${system} ${process.arch}; run npm install.`);
}

/** Reads the address that anvil listens on. Keeps reading its output, because a closed pipe would stop it. */
function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async (): Promise<void> => {
    let said = "";
    for await (const chunk of output) {
      if (said.length < 100_000) said += new TextDecoder().decode(chunk);
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`anvil ended: ${said}`));
  };
  read().catch(reject);
  return promise;
}
