/** The supported families of chains. On the wire, `chain` is one of these or `ledger` (protocol §6). */
export type ChainKind = "evm" | "solana";

/** An asset that the settings allow: the chain's native coin, or a token of the allow-list. */
export interface Asset {
  /** The symbol by which people and packets name it, such as `ETH` or `USDC`; unique on its chain. */
  readonly currency: string;
  /** The token's contract (EVM) or mint (Solana), normalized by `normalAddress`; null for the native coin. */
  readonly tokenAddress: string | null;
  /** Number of decimal places. Amounts are always in the smallest unit. */
  readonly decimals: number;
}

/** The block (Solana: slot) that contains a transaction. */
export interface Block {
  /** On Solana, the slot number: only one block of a slot ever becomes final. */
  readonly hash: string;
  readonly number: number;
  /** Epoch milliseconds. The block's producer sets it, with a precision of seconds. */
  readonly time: number;
}

/** Value that arrived at `recipient`: the amount that the chain recorded, not the amount that was requested. */
export interface Transfer {
  readonly asset: Asset;
  /** The owner of the value. Not always the transaction's `payer`, because a relay may pay the gas. */
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
}

/**
 * The state of a transaction.
 * - `unknown`: the chain does not have it now. It may appear later.
 * - `pending`: it waits, or a reorganisation has just removed its block.
 * - `failed`: it is in a block and moved nothing (reverted). A reorganisation may still change that unless `isFinal`.
 * - `confirming`: it succeeded, but is not as deep as the settings require.
 * - `final`: it succeeded and is as deep as the settings require. Only now may anything be credited (guarantees P15).
 */
export type TransactionState = "unknown" | "pending" | "failed" | "confirming" | "final";

/** Identifies one signed transfer of a token (EIP-3009): an owner signs each nonce once. */
export interface AuthorizationKey {
  /** The token's contract, normalized by `normalAddress`, as is `authorizer`, the owner of the value. */
  readonly token: string;
  readonly authorizer: string;
  /** 32 bytes in hex, lower case. */
  readonly nonce: string;
}

/** A transfer of a token that its owner has signed and anybody may submit to the chain (EIP-3009). */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** Epoch seconds. The authorization is valid after `validAfter` and before `validBefore`. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: string;
}

/** The parts of a token's EIP-712 signing domain besides its chain and address. */
export interface SigningDomain {
  readonly name: string;
  readonly version: string;
}

/** Signed transfers of tokens. Every method that queries the chain throws chain_unavailable, as in `Chain`. */
export interface Authorizations {
  /** Returns the token's domain; null if the token has no signed transfers, or signs with another kind of domain. */
  domainOf(token: string): Promise<SigningDomain | null>;
  /**
   * Returns the signer's address; null if the signature is invalid. Ordinary accounts only: a contract's signature
   * would need a query to the chain.
   */
  signerOf(
    token: string,
    domain: SigningDomain,
    authorization: Authorization,
    signature: string,
  ): Promise<string | null>;
  /** Returns whether the authorization is used or cancelled now, and a height that the chain has reached. */
  lookAt(key: AuthorizationKey): Promise<{ isUsed: boolean; height: number }>;
  /**
   * Returns whether the authorization can never be used: it was unused at the newest final block, which is past its
   * end.
   */
  hasLapsed(key: AuthorizationKey, validBefore: number): Promise<boolean>;
  /** Returns the transaction at or above that height that used it; null if there is none. */
  findUse(key: AuthorizationKey, fromHeight: number): Promise<string | null>;
}

/** A transaction as the majority of the chain's servers sees it. */
export interface Observed {
  readonly state: TransactionState;
  /**
   * True if the block is as deep as the settings require. Always true if `final`; tells whether a `failed` one can
   * still change.
   */
  readonly isFinal: boolean;
  /** null while the transaction is in no block. */
  readonly block: Block | null;
  /** The account that signed it and paid its gas; null while the transaction is in no block. */
  readonly payer: string | null;
  /** Transfers of allowed assets only. Empty unless it is `confirming` or `final`. */
  readonly transfers: readonly Transfer[];
  /** The references it carries, as `reference` formats them. Empty unless it is `confirming` or `final`. */
  readonly references: readonly string[];
  /** All data that its sender wrote into it, in lower-case hex, even if it failed. Absent until it is in a block. */
  readonly data?: string;
  /** The signed transfers of allowed tokens that it submitted; absent on chains without signed transfers. */
  readonly authorizations?: readonly AuthorizationKey[];
}

/**
 * A chain, as the rest of Parley sees it. Reads query all configured servers and return only an answer on which more
 * than half of them agree; with one server, its answer.
 * @throws chain_unavailable from every method that returns a promise, after at most 10 s: the servers are silent or no
 * majority agrees. It says nothing about the transaction. Retry later; never refuse or credit anything because of it.
 */
export interface Chain {
  readonly kind: ChainKind;
  readonly chainId: number;
  /** The native coin first. */
  readonly assets: readonly Asset[];
  /** The platform's wallet, which receives the funds of packets and pays claims; null without a key. */
  readonly treasury: string | null;
  /** Signs for the treasury; null without a key. */
  readonly payer: Payer | null;

  /** Returns the state of a transaction. `hash` must be a result of `normalHash`. */
  observe(hash: string): Promise<Observed>;
  isAddress(text: string): boolean;
  /** Returns the canonical spelling, in which addresses are stored and compared; null if the text is no address. */
  normalAddress(text: string): string | null;
  /**
   * Returns the canonical spelling of a transaction hash (EVM) or first signature (Solana); null if the text is
   * neither.
   */
  normalHash(text: string): string | null;
  /**
   * Turns 32 random bytes into a reference that a transfer can carry and `observe` finds: on EVM, hex with 0x, appended
   * to the calldata; on Solana, the address of an account that is added to the instruction.
   */
  reference(random: Uint8Array): string;
  /**
   * Returns the cost of a payout of that asset at the current price, with all the gas it may use, in the native coin's
   * smallest unit.
   */
  estimateTransferFee(asset: Asset): Promise<bigint>;
  /**
   * Returns the upper bound of the cost of a payout of that asset, in the native coin's smallest unit: all the gas it
   * may use, at the highest price that the settings allow. No transaction of `payer` costs more.
   */
  worstTransferFee(asset: Asset): bigint;
  /**
   * Returns the smallest amount that an empty wallet accepts. A smaller transfer fails on the chain (Solana: below the
   * rent).
   */
  leastTransfer(asset: Asset): Promise<bigint>;
  /**
   * Returns whether the address can receive a transfer before an account is created (Solana: the owner's token
   * account).
   */
  canReceive(asset: Asset, address: string): Promise<boolean>;
  balance(asset: Asset, address: string): Promise<bigint>;
  /** Absent on chains without signed transfers. */
  readonly authorizations?: Authorizations;
}

/** A transfer that the treasury is to make. */
export interface TransferOrder {
  readonly asset: Asset;
  readonly to: string;
  readonly amount: bigint;
  /** The transaction's nonce in the treasury's sequence (EVM); null on Solana, which has no nonces. */
  readonly nonce: bigint | null;
  /** The highest fee allowed, in the native coin's smallest unit. Default: the chain's own bound. */
  readonly feeMax?: bigint;
}

/** A signed transfer. Store all of it before you send it (protocol §6). Nothing in it is secret once it is sent. */
export interface SignedTransfer {
  /**
   * The bytes to send: hex with 0x (EVM) or base64 (Solana). `broadcast`, `outcome` and `replaceByFee` need only these and
   * `hash`.
   */
  readonly bytes: string;
  /** Normalized by `normalHash`; known before the transfer is sent. */
  readonly hash: string;
  readonly nonce: bigint | null;
  /** The highest possible fee, in the native coin's smallest unit. */
  readonly fee: bigint;
  /** The last block height at which it can be included (Solana); null if it does not expire (EVM). */
  readonly validUntil: bigint | null;
}

/**
 * The outcome of a signed transfer. In addition to the states of every transaction:
 * - `expired`: it is not on the chain and never can be, because another transaction used its nonce, or its blockhash
 *   has expired, and that is final. Only then may the payment be signed again.
 */
export interface Outcome {
  readonly state: TransactionState | "expired";
  /** See `Observed`. A `failed` transfer may be paid again only once it is final. */
  readonly isFinal: boolean;
  readonly block: Block | null;
  /** The fee paid, in the native coin's smallest unit; null while the transaction is in no block. */
  readonly feePaid: bigint | null;
}

/**
 * The treasury's signer. Only the signer knows the treasury's key, and value leaves only through it. It keeps no state
 * between calls, so a crash loses nothing; the caller orders the nonces and rules out double payments.
 */
export interface Payer {
  readonly address: string;
  /**
   * Returns the first nonce that no mined transaction has used; null on Solana. The caller counts transactions that are
   * signed but not mined.
   */
  nextNonce(): Promise<bigint | null>;
  /** Signs the transfer without sending it. @throws TransferRefused, chain_unavailable */
  sign(order: TransferOrder): Promise<SignedTransfer>;
  /**
   * Sends signed bytes to all servers. Idempotent: resolves when one server has accepted them or has them already, or
   * when the transaction is on the chain. Success does not mean that the transaction will be included.
   * @throws TransferRefused, chain_unavailable
   */
  broadcast(signed: SignedTransfer): Promise<void>;
  outcome(signed: SignedTransfer): Promise<Outcome>;
  /**
   * Signs the same transfer with a higher fee, at the current price and at least an eighth more, on the same nonce, so
   * at most one of the two can be included. On Solana, which has no nonces: the same transfer with a new blockhash,
   * refused as `not_expired` unless `outcome` returns `expired`.
   * @throws TransferRefused, chain_unavailable
   */
  replaceByFee(signed: SignedTransfer, limits?: { feeMax?: bigint }): Promise<SignedTransfer>;
}

/**
 * Why a transfer was not signed or not accepted. A retry gives the same answer until something on the chain changes.
 */
export type RefusalReason =
  /** The treasury has too little of the asset, or of the native coin for the fee. */
  | "insufficient_funds"
  /** It would fail on the chain: for example, the recipient rejects transfers or the token is paused. */
  | "would_fail"
  /** It would cost more than `feeMax`. */
  | "fee_above_limit"
  /** The gas price is below what servers accept now; call `replaceByFee`. */
  | "underpriced"
  /** Another transaction with this nonce is on the chain. */
  | "nonce_used"
  /** Its blockhash has expired (Solana). */
  | "expired"
  /** It can still be included, so it may not be signed again (Solana). */
  | "not_expired";

/** The transfer cannot be made as requested. Nothing was sent. */
export class TransferRefused extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(`the transfer was refused: ${reason}`);
    this.name = "TransferRefused";
    this.reason = reason;
  }
}

/**
 * Returns the allowed asset that the arguments name: by token address if given, else by symbol, else the native coin.
 */
export function findAsset(
  chain: Pick<Chain, "assets" | "normalAddress">,
  { currency, tokenAddress }: { currency?: string | null; tokenAddress?: string | null },
): Asset | null {
  const address = tokenAddress == null ? null : chain.normalAddress(tokenAddress);
  if (tokenAddress != null && address === null) return null;
  const found = chain.assets.find((asset) =>
    address !== null
      ? asset.tokenAddress === address
      : currency == null
        ? asset.tokenAddress === null
        : asset.currency === currency,
  );
  // If both a symbol and an address are given, they must name the same token.
  return found === undefined || (currency != null && found.currency !== currency) ? null : found;
}
