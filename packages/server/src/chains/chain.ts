/** The families of chains that are known; `chain` on the wire, where `ledger` stands beside them (protocol §6). */
export type ChainKind = "evm" | "solana";

/** Something of value on a chain which the settings allow: its native coin, or a token of the allow-list. */
export interface Asset {
  /** The symbol by which people and packets name it, such as `ETH` or `USDC`; unique on its chain. */
  readonly currency: string;
  /** The token's contract (EVM) or mint (Solana), in the spelling of `normalAddress`; null: the native coin. */
  readonly tokenAddress: string | null;
  /** Digits after the point of one unit. Amounts are always in the smallest unit. */
  readonly decimals: number;
}

/** The block (Solana: slot) a transaction stands in. */
export interface Block {
  /** Solana: the slot's number, of which only one block ever becomes final. */
  readonly hash: string;
  readonly number: number;
  /** Epoch milliseconds, as the chain says: seconds, and set by whoever made the block. */
  readonly time: number;
}

/** Value that arrived at `recipient`, exactly: what the chain recorded, not what was asked for. */
export interface Transfer {
  readonly asset: Asset;
  /** Whose value it was; beside the transaction's `payer` because a relay may pay the gas. */
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
}

/**
 * What is known of a transaction.
 * - `unknown`: the chain does not have it, now. It may come later.
 * - `pending`: it is waiting, or stands in a block that a reorganisation has just removed.
 * - `failed`: it stands in a block and moved nothing (reverted). A reorganisation may still change that unless `isFinal`.
 * - `confirming`: it succeeded, and is not as deep as the settings want.
 * - `final`: it succeeded and is as deep as the settings want. Only now may anything be credited (guarantees P15).
 */
export type TransactionState = "unknown" | "pending" | "failed" | "confirming" | "final";

/** Names one signed transfer of a token (EIP-3009): its owner signs each nonce once. */
export interface AuthorizationKey {
  /** The token's contract, in the spelling of `normalAddress`; `authorizer`, whose value moves, too. */
  readonly token: string;
  readonly authorizer: string;
  /** 32 bytes in hex, lower case. */
  readonly nonce: string;
}

/** A transfer of a token that its owner has signed and anybody may bring to the chain (EIP-3009). */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** Epoch seconds; it is good between the two. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: string;
}

/** By what a token's owners sign (EIP-712), besides its chain and address. */
export interface SigningDomain {
  readonly name: string;
  readonly version: string;
}

/** Signed transfers of tokens. @throws chain_unavailable from everything that asks the chain, as `Chain` */
export interface Authorizations {
  /** null: the token knows no such transfers, or signs in another way than is told here. */
  domainOf(token: string): Promise<SigningDomain | null>;
  /** Who signed that; null: nobody did. Ordinary accounts only: a contract's signature would have to be asked for on the chain. */
  signerOf(
    token: string,
    domain: SigningDomain,
    authorization: Authorization,
    signature: string,
  ): Promise<string | null>;
  /** Whether it was used or cancelled, now, and a height that the chain has reached. */
  lookAt(key: AuthorizationKey): Promise<{ isUsed: boolean; height: number }>;
  /** Whether it can never be used any more: it was not by the newest final block, which is past its time. */
  hasLapsed(key: AuthorizationKey, validBefore: number): Promise<boolean>;
  /** The transaction, from that height on, that used it; null: none has. */
  findUse(key: AuthorizationKey, fromHeight: number): Promise<string | null>;
}

/** A transaction, as the majority of the chain's servers sees it. */
export interface Observed {
  readonly state: TransactionState;
  /** As deep as the settings want; true for every `final` one, and tells whether a `failed` one can still change. */
  readonly isFinal: boolean;
  /** null while it stands in none. */
  readonly block: Block | null;
  /** Who signed for it and paid its gas; null while it stands in no block. */
  readonly payer: string | null;
  /** Transfers of allowed assets only. Empty unless it is `confirming` or `final`. */
  readonly transfers: readonly Transfer[];
  /** The references it carries, in the form of `reference`. Empty unless it is `confirming` or `final`. */
  readonly references: readonly string[];
  /** Everything its sender wrote into it, in lower-case hex, also if it failed. Absent until it is in a block. */
  readonly data?: string;
  /** The signed transfers of allowed tokens that it brought to the chain; absent where there are none of the kind. */
  readonly authorizations?: readonly AuthorizationKey[];
}

/**
 * One chain, as the rest of Parley sees it. What reads it asks all servers the settings name and answers only what more than half of
 * them agree on; with one server, what that one says.
 * @throws chain_unavailable from everything that is a promise: silence, or no majority. It says nothing of the transaction, and
 * takes at most 10 s. To be tried again later; never a reason to refuse or to credit anything.
 */
export interface Chain {
  readonly kind: ChainKind;
  readonly chainId: number;
  /** The native coin first. */
  readonly assets: readonly Asset[];
  /** The platform's wallet, to which packets are funded and from which claims are paid; null without a key. */
  readonly treasury: string | null;
  /** Signs for the treasury; null without a key. */
  readonly payer: Payer | null;

  /** Looks at a transaction. `hash` must have come through `normalHash`. */
  observe(hash: string): Promise<Observed>;
  isAddress(text: string): boolean;
  /** The one spelling by which addresses are stored and compared; null: it is none. */
  normalAddress(text: string): string | null;
  /** The one spelling of a transaction's hash (EVM) or first signature (Solana); null: it is none. */
  normalHash(text: string): string | null;
  /**
   * Makes 32 random bytes a reference that a transfer can carry, and that `observe` finds again: on EVM hex with 0x, appended to the
   * calldata; on Solana the address of an account that is added to the instruction.
   */
  reference(random: Uint8Array): string;
  /** The cost of a payout of that asset at today's price, with all the gas it may use, in the native coin's smallest unit. */
  estimateTransferFee(asset: Asset): Promise<bigint>;
  /**
   * The most that a payout of that asset can ever cost, in the native coin's smallest unit: all the gas it may use, at the highest price
   * that the settings allow. No transaction of `payer` costs more.
   */
  worstTransferFee(asset: Asset): bigint;
  /** The least amount of that asset that an empty wallet accepts. A smaller transfer fails on the chain (Solana: below the rent). */
  leastTransfer(asset: Asset): Promise<bigint>;
  /** Whether a transfer to the address needs no account to be created first (Solana: the owner's account for a token). */
  canReceive(asset: Asset, address: string): Promise<boolean>;
  balance(asset: Asset, address: string): Promise<bigint>;
  /** Absent where tokens have no signed transfers. */
  readonly authorizations?: Authorizations;
}

/** One transfer that the treasury shall make. */
export interface TransferOrder {
  readonly asset: Asset;
  readonly to: string;
  readonly amount: bigint;
  /** The number it takes in the treasury's sequence (EVM). null on Solana, where there is none. */
  readonly nonce: bigint | null;
  /** The most it may cost, in the native coin's smallest unit. Default: the chain's own bound. */
  readonly feeMax?: bigint;
}

/** A signed transfer, to be stored whole before it is sent (protocol §6). Nothing in it is secret once it is sent. */
export interface SignedTransfer {
  /** What is sent: hex with 0x (EVM) or base64 (Solana). Everything `broadcast`, `outcome` and `bump` need besides `hash`. */
  readonly bytes: string;
  /** In the form of `normalHash`; known before it is sent. */
  readonly hash: string;
  readonly nonce: bigint | null;
  /** The most it can cost, in the native coin's smallest unit. */
  readonly fee: bigint;
  /** The last block height in which it can be included (Solana); null: it does not lapse (EVM). */
  readonly validUntil: bigint | null;
}

/** What became of a signed transfer. Beside the states of every transaction:
 * - `expired`: it is not on the chain and never can be: its nonce was used by another one, or its blockhash has lapsed, and that is
 *   final. Only then may the same payment be signed anew.
 */
export interface Outcome {
  readonly state: TransactionState | "expired";
  /** See `Observed`: a `failed` one may be paid anew only when it is final. */
  readonly isFinal: boolean;
  readonly block: Block | null;
  /** What was paid for it, in the native coin's smallest unit; null while it stands in no block. */
  readonly feePaid: bigint | null;
}

/**
 * The treasury's signer: the only thing that knows its key, and the only way value leaves. It keeps nothing between calls, so that a
 * crash loses nothing; the order of nonces and the proof against paying twice are the caller's.
 */
export interface Payer {
  readonly address: string;
  /** The first nonce no mined transaction has used; null on Solana. Those signed and not mined yet are the caller's to count. */
  nextNonce(): Promise<bigint | null>;
  /** Signs, and sends nothing. @throws TransferRefused, chain_unavailable */
  sign(order: TransferOrder): Promise<SignedTransfer>;
  /**
   * Sends signed bytes to all servers. Resolves when one has taken them, has them already, or the very transaction is on the chain:
   * sending again what was sent is no error. That it resolves does not mean it will be included. @throws TransferRefused, chain_unavailable
   */
  broadcast(signed: SignedTransfer): Promise<void>;
  outcome(signed: SignedTransfer): Promise<Outcome>;
  /**
   * The same transfer for a higher fee, at today's price and by at least an eighth more, on the same nonce: at most one of them can be included. On Solana,
   * where there is no nonce: the same transfer with a new blockhash, refused as `not_expired` unless `outcome` says `expired`.
   * @throws TransferRefused, chain_unavailable
   */
  bump(signed: SignedTransfer, limits?: { feeMax?: bigint }): Promise<SignedTransfer>;
}

/** Why a transfer was not signed or not taken. Asking again without a change of the world gives the same. */
export type RefusalReason =
  /** The treasury has not enough of the asset, or of the native coin for the fee. */
  | "insufficient_funds"
  /** It would fail on the chain: a recipient that takes nothing, a token that is paused. */
  | "would_fail"
  /** It would cost more than `feeMax`. */
  | "fee_above_limit"
  /** The price is below what servers take now: bump it. */
  | "underpriced"
  /** Another transaction with this nonce is on the chain. */
  | "nonce_used"
  /** Its blockhash has lapsed (Solana). */
  | "expired"
  /** It can still be included, so it may not be signed anew (Solana). */
  | "not_expired";

/** A transfer that cannot be made as it is. Nothing was sent. */
export class TransferRefused extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(`the transfer was refused: ${reason}`);
    this.name = "TransferRefused";
    this.reason = reason;
  }
}

/** The allowed asset that is meant: by the token's address where one is given, else by symbol, else the native coin. */
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
  // A symbol beside an address must be that token's: neither is allowed to contradict the other.
  return found === undefined || (currency != null && found.currency !== currency) ? null : found;
}
