import { createHash } from "node:crypto";
import {
  type Asset,
  type Chain,
  type ChainKind,
  type Observed,
  type Outcome,
  type Payer,
  type SignedTransfer,
  type TransferOrder,
  TransferRefused,
} from "../../../src/chains/chain.ts";
import { fail } from "../../../src/errors.ts";

/** A fault of a later call, before or after the call takes effect. */
export type CallFault = { kind: "silence" | "hang"; after: boolean; calls: number };

interface Transaction {
  hash: string;
  nonce: bigint | null;
  to: string;
  amount: bigint;
  currency: string;
  price: bigint;
  validUntil: bigint | null;
  /** True if another program signed it with the key of the treasury. */
  outside: boolean;
}

interface Included {
  transaction: Transaction;
  failed: boolean;
}

export const TREASURY = "treasury";
const BLOCKHASH_LIFE = 8n;

/**
 * A fake chain that behaves like a real one as far as payouts can see. Transactions wait, are included by price and
 * nonce, and are dropped, replaced or removed by reorganisations. Its servers fail before or after a call takes effect,
 * or never respond. It counts the transfers that arrived.
 */
export class FakeChain implements Chain, Payer {
  readonly kind: ChainKind;
  readonly chainId: number;
  readonly confirmations = 3;
  readonly assets: readonly Asset[] = [
    { currency: "COIN", tokenAddress: null, decimals: 18 },
    { currency: "TOK", tokenAddress: "token", decimals: 6 },
  ];
  readonly treasury = TREASURY;
  address = TREASURY;
  readonly payer: Payer = this;
  /** The blocks, oldest first; a reorganisation can remove the newest. */
  readonly blocks: Included[][] = [];
  readonly mempool = new Map<string, Transaction>();
  /** The current price of a transaction. */
  price = 10n;
  funds = 10n ** 30n;
  /** True if the next included transaction fails. */
  reverts = false;
  /** True if simulations report that a transfer would fail. */
  refuses = false;
  fault: CallFault | null = null;
  /** Resolves when a call hangs. */
  hung = Promise.withResolvers<void>();
  calls = 0;
  readonly #asleep: (() => void)[] = [];
  #signed = 0;
  /** The number of final blocks, which no reorganisation removes. */
  #final = 0;

  constructor(kind: ChainKind, chainId: number) {
    this.kind = kind;
    this.chainId = chainId;
  }

  // Methods that decide what happens to transactions.

  mine(): void {
    const block: Included[] = [];
    const waiting = () => [...this.mempool.values()].filter((one) => one.price >= this.price && this.#isNext(one));
    this.blocks.push(block);
    this.#final = Math.max(this.#final, this.blocks.length - this.confirmations + 1);
    for (let [next] = waiting(); next !== undefined; [next] = waiting()) {
      this.mempool.delete(next.hash);
      for (const other of this.mempool.values()) {
        if (next.nonce !== null && other.nonce === next.nonce) this.mempool.delete(other.hash);
      }
      block.push({ transaction: next, failed: this.reverts });
      this.reverts = false;
    }
  }

  /** Removes the newest blocks; their transactions wait again or are forgotten. Final blocks are never removed. */
  reorganise(depth: number, forgets: boolean): void {
    for (let n = 0; n < depth && this.blocks.length > this.#final; n++) {
      for (const { transaction } of this.blocks.pop() ?? []) {
        if (!forgets) this.mempool.set(transaction.hash, transaction);
      }
    }
  }

  /** Includes a transaction by another program that has the key of the treasury, so that it uses the next nonce. */
  useNonceOutside(): void {
    if (this.kind === "solana") return;
    const transaction = this.#transaction({ to: "elsewhere", amount: 1n, currency: "COIN", nonce: this.#nonce() });
    this.mempool.set(transaction.hash, { ...transaction, price: this.price, outside: true });
    for (const [hash, other] of this.mempool) {
      if (other.nonce === transaction.nonce && !other.outside) this.mempool.delete(hash);
    }
    this.mine();
  }

  /** Lets the hanging calls continue. */
  wake(): void {
    for (const go of this.#asleep.splice(0)) go();
  }

  /** Returns the amounts of the transfers that arrived, by recipient. */
  arrived(): Map<string, bigint[]> {
    const found = new Map<string, bigint[]>();
    for (const { transaction, failed } of this.blocks.flat()) {
      const { to, amount } = transaction;
      if (!failed) found.set(to, [...(found.get(to) ?? []), amount]);
    }
    return found;
  }

  // The interface of a chain and a payer.

  nextNonce(): Promise<bigint | null> {
    return this.#call(() => (this.kind === "solana" ? null : this.#nonce()));
  }

  sign({ asset, to, amount, nonce, feeMax }: TransferOrder): Promise<SignedTransfer> {
    return this.#call(() => {
      if (this.refuses) throw new TransferRefused("would_fail");
      if (this.funds < amount) throw new TransferRefused("insufficient_funds");
      return this.#sign({ to, amount, nonce, currency: asset.currency }, this.price, feeMax);
    });
  }

  broadcast({ bytes, hash }: SignedTransfer): Promise<void> {
    return this.#call(() => {
      if (this.mempool.has(hash) || this.#find(hash) !== undefined) return;
      const transaction = parse(bytes);
      if (transaction.nonce !== null && transaction.nonce < this.#nonce()) throw new TransferRefused("nonce_used");
      if (this.#isLapsed(transaction, this.blocks.length)) throw new TransferRefused("expired");
      if (this.funds < transaction.amount) throw new TransferRefused("insufficient_funds");
      const rival = [...this.mempool.values()].find(({ nonce }) => nonce !== null && nonce === transaction.nonce);
      if (transaction.price < this.price / 2n || (rival !== undefined && rival.price >= transaction.price)) {
        throw new TransferRefused("underpriced");
      }
      if (rival !== undefined) this.mempool.delete(rival.hash);
      this.mempool.set(hash, transaction);
    });
  }

  outcome({ bytes, hash }: SignedTransfer): Promise<Outcome> {
    return this.#call(() => {
      const found = this.#find(hash);
      if (found !== undefined) {
        const isFinal = this.blocks.length - found.height >= this.confirmations;
        const block = { hash: `b${found.height}`, number: found.height, time: 0 };
        const state = found.failed ? "failed" : isFinal ? "final" : "confirming";
        return { state, isFinal, block, feePaid: found.transaction.price };
      }
      const finalHeight = this.blocks.length - this.confirmations + 1;
      const transaction = parse(bytes);
      const isOver =
        transaction.nonce === null
          ? this.#isLapsed(transaction, finalHeight)
          : this.#nonce(Math.max(0, finalHeight)) > transaction.nonce;
      if (isOver) return { state: "expired", isFinal: true, block: null, feePaid: null };
      const state = this.mempool.has(hash) ? "pending" : "unknown";
      return { state, isFinal: false, block: null, feePaid: null };
    });
  }

  replaceByFee({ bytes }: SignedTransfer, { feeMax }: { feeMax?: bigint } = {}): Promise<SignedTransfer> {
    return this.#call(() => {
      const old = parse(bytes);
      const raised = old.price + old.price / 8n + 1n;
      return this.#sign(old, raised > this.price ? raised : this.price, feeMax);
    });
  }

  async observe(hash: string): Promise<Observed> {
    const found = this.#find(hash);
    const isFinal = found !== undefined && this.blocks.length - found.height >= this.confirmations;
    const state = found === undefined ? "unknown" : found.failed ? "failed" : isFinal ? "final" : "confirming";
    return { state, isFinal, block: null, payer: null, transfers: [], references: [] };
  }

  isAddress = () => true;
  normalAddress = (text: string) => text;
  normalHash = (text: string) => text;
  reference = () => "reference";
  estimateTransferFee = async () => this.price;
  worstTransferFee = () => this.price;
  leastTransfer = async () => 0n;
  canReceive = async () => true;
  balance = async () => this.funds;

  // Internals.

  /** Runs a call. Applies the fault once enough calls have succeeded before it. */
  async #call<T>(act: () => T): Promise<T> {
    this.calls += 1;
    const fault = this.fault;
    if (fault === null || fault.calls > 0) {
      if (fault !== null) fault.calls -= 1;
      return act();
    }
    this.fault = null;
    if (!fault.after) await this.#suffer(fault);
    const result = act();
    if (fault.after) await this.#suffer(fault);
    return result;
  }

  async #suffer({ kind }: CallFault): Promise<void> {
    if (kind === "silence") throw fail("chain_unavailable");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asleep.push(resolve);
    this.hung.resolve();
    this.hung = Promise.withResolvers<void>();
    await promise;
  }

  #nonce(height = this.blocks.length): bigint {
    const used = this.blocks
      .slice(0, height)
      .flat()
      .filter(({ transaction }) => transaction.nonce !== null);
    return BigInt(used.length);
  }

  #isNext(transaction: Transaction): boolean {
    if (transaction.amount > this.funds) return false;
    return transaction.nonce === null
      ? !this.#isLapsed(transaction, this.blocks.length)
      : transaction.nonce === this.#nonce();
  }

  #isLapsed = ({ validUntil }: Transaction, height: number): boolean =>
    validUntil !== null && BigInt(height) > validUntil;

  #find(hash: string): (Included & { height: number }) | undefined {
    for (const [height, block] of this.blocks.entries()) {
      const found = block.find(({ transaction }) => transaction.hash === hash);
      if (found !== undefined) return { ...found, height };
    }
    return undefined;
  }

  #transaction(of: Pick<Transaction, "to" | "amount" | "currency" | "nonce">): Transaction {
    const hash = createHash("sha256")
      .update(`${this.chainId} ${++this.#signed}`)
      .digest("hex");
    const { to, amount, currency, nonce } = of;
    const validUntil = this.kind === "solana" ? BigInt(this.blocks.length) + BLOCKHASH_LIFE : null;
    return { hash, to, amount, currency, nonce, price: 0n, validUntil, outside: false };
  }

  #sign(
    of: Pick<Transaction, "to" | "amount" | "currency" | "nonce">,
    price: bigint,
    feeMax: bigint | undefined,
  ): SignedTransfer {
    if (feeMax !== undefined && price > feeMax) throw new TransferRefused("fee_above_limit");
    const transaction = { ...this.#transaction(of), price };
    const { hash, nonce, validUntil } = transaction;
    return { bytes: JSON.stringify(transaction, big), hash, nonce, fee: price, validUntil };
  }
}

const big = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);

const parse = (bytes: string): Transaction =>
  JSON.parse(bytes, (_, value: unknown) =>
    typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
