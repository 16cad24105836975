import { type Address, address, type KeyPairSigner } from "@solana/kit";
import type { Asset, Chain, Payer, RefusalReason, SignedTransfer } from "../../../src/chains/chain.ts";
import { RpcProxy } from "./rpc-proxy.ts";
import { endow, makeToken, makeTokenAccount, SOL, solanaOver, wallet } from "./solana.ts";
import type { SolanaCluster } from "./solana-cluster.ts";
import { SolanaShim } from "./solana-shim.ts";

/**
 * A treasury with 10 SOL and 1,000 of the smallest unit of a token, on a cluster that advances on request; and Bob, who
 * has no SOL and an empty account for the token.
 */
export class SolanaTreasury implements AsyncDisposable {
  readonly shim: SolanaShim;
  readonly cluster: SolanaCluster;
  readonly mint: Address;
  readonly address: Address;
  /** The mint authority of the token. */
  readonly issuer: KeyPairSigner;
  readonly bob: Address;
  chain: Chain;

  private constructor(parts: Pick<SolanaTreasury, "shim" | "mint" | "address" | "issuer" | "bob" | "chain">) {
    this.shim = parts.shim;
    this.cluster = parts.shim.cluster;
    this.mint = parts.mint;
    this.address = parts.address;
    this.issuer = parts.issuer;
    this.bob = parts.bob;
    this.chain = parts.chain;
  }

  static async start(): Promise<SolanaTreasury> {
    const shim = new SolanaShim();
    const { cluster } = shim;
    const issuer = await wallet(cluster);
    const bob = (await wallet(cluster, 0n)).address;
    const treasury = address((await solanaOver(cluster, shim.url)).treasury ?? "");
    endow(cluster, treasury, 10n * SOL);
    const mint = await makeToken(cluster, issuer, [treasury], 1_000n);
    await makeTokenAccount(cluster, issuer, { mint, owner: bob });
    cluster.finalize();
    const chain = await solanaOver(cluster, shim.url, { usdc: mint });
    return new SolanaTreasury({ shim, mint, address: treasury, issuer, bob, chain });
  }

  get payer(): Payer {
    if (this.chain.payer === null) throw new Error("There is no payer.");
    return this.chain.payer;
  }

  get assets(): { sol: Asset; usdc: Asset } {
    const [sol, usdc] = this.chain.assets;
    if (sol === undefined || usdc === undefined) throw new Error("There are two assets.");
    return { sol, usdc };
  }

  /** Replaces the payer by one without memory, as after a crash. */
  async restart(urls: string | readonly string[] = this.shim.url): Promise<void> {
    this.chain = await solanaOver(this.cluster, urls, { usdc: this.mint, callMs: 1_000 });
  }

  pay(asset: Asset, amount: bigint, more: { to?: string; feeMax?: bigint } = {}): Promise<SignedTransfer> {
    return this.payer.sign({ asset, to: this.bob, amount, nonce: null, ...more });
  }

  async stateOf(signed: SignedTransfer): Promise<string> {
    return (await this.payer.outcome(signed)).state;
  }

  /** Returns the lamports of the owner. */
  has(owner: Address): bigint {
    return this.cluster.svm.getBalance(owner) ?? 0n;
  }

  /** Runs `act` with this many servers in front of the cluster, some of which can lie or be silent. */
  async behind<T>(count: number, act: (...proxies: RpcProxy[]) => Promise<T>): Promise<T> {
    const proxies = Array.from({ length: count }, () => new RpcProxy(this.shim.url));
    try {
      await this.restart(proxies.map(({ url }) => url));
      return await act(...proxies);
    } finally {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
      await this.restart();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shim[Symbol.asyncDispose]();
  }
}

/** Returns the reason for the refusal, or `none`. */
export const refusal = (act: Promise<unknown>): Promise<RefusalReason | string> =>
  act.then(
    () => "none",
    (error) => error.reason ?? error.code ?? error,
  );
