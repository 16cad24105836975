import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  assertIsInstructionWithAccounts,
  assertIsInstructionWithData,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getAddressDecoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/kit";
import { getTransferSolInstruction, parseTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system";
import {
  getTransferCheckedInstruction,
  parseCreateAssociatedTokenIdempotentInstruction,
  parseTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from "@solana-program/token";
import type { Asset } from "../chain.ts";
import { associatedAccount } from "./moves.ts";

/**
 * Compute unit limits, with reserve: a payout of SOL takes 450 with the two budget instructions, one of a token about
 * 7,000.
 */
const SOL_UNITS = 1_000;
const TOKEN_UNITS = 15_000;
/** The network's fee for one signature. */
const SIGNATURE_LAMPORTS = 5_000n;
const MICROS = 1_000_000n;
/** Index of the owner in a token transfer's accounts: after source, mint, destination and authority. */
const OWNER_AT = 4;

/** A payout: asset, recipient and amount. */
export interface Payout {
  readonly asset: Asset;
  readonly to: string;
  readonly amount: bigint;
}

/** A transaction's fee payer, price and lifetime. */
export interface Terms {
  readonly treasury: Address;
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
  /**
   * 32 random bytes. Without them, two payouts of the same amount to the same owner with the same blockhash would be
   * the same transaction, and only one would be paid.
   */
  readonly mark: Uint8Array;
}

/** Returns the compute unit limit of a payout of this asset. */
export const unitsOf = ({ tokenAddress }: Asset): number => (tokenAddress === null ? SOL_UNITS : TOKEN_UNITS);

/** Returns the network's fee in lamports for a payout of this asset at a price. */
export function networkFee(asset: Asset, price: bigint): bigint {
  return SIGNATURE_LAMPORTS + (BigInt(unitsOf(asset)) * price + MICROS - 1n) / MICROS;
}

/** Builds the unsigned transaction of a payout. */
export async function payoutTransaction(payout: Payout, { treasury, price, mark, ...lifetime }: Terms) {
  const instructions = await instructionsOf(payout, treasury, mark);
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(treasury, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => setTransactionMessageComputeUnitLimit(unitsOf(payout.asset), message),
    (message) => setTransactionMessageComputeUnitPrice(price, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  );
}

async function instructionsOf(
  { asset, to, amount }: Payout,
  treasury: Address,
  mark: Uint8Array,
): Promise<readonly Instruction[]> {
  const signer = createNoopSigner(treasury);
  const owner = address(to);
  if (asset.tokenAddress === null) {
    return [marked(getTransferSolInstruction({ source: signer, destination: owner, amount }), mark)];
  }
  const mint = address(asset.tokenAddress);
  const [source, destination] = await Promise.all([associatedAccount(treasury, mint), associatedAccount(owner, mint)]);
  const { decimals } = asset;
  const transfer = getTransferCheckedInstruction({ source, mint, destination, authority: signer, amount, decimals });
  // Do not create a token account: that would give its rent to every recipient without one (protocol §7).
  return [marked(named(transfer, owner), mark)];
}

/** Adds an account that is only named, like a Solana Pay reference; programs ignore it. */
const named = (instruction: Instruction, account: Address): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), { address: account, role: AccountRole.READONLY }],
});

const marked = (instruction: Instruction, mark: Uint8Array): Instruction =>
  named(instruction, getAddressDecoder().decode(mark));

/**
 * Returns the payout in our signed bytes, and the blockhash that limits its lifetime. @throws TypeError if they hold
 * none
 */
export function readPayout(bytes: string, assets: readonly Asset[]): Payout & { blockhash: string } {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(bytes));
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { instructions } = decompileTransactionMessage(compiled);
  // The first two instructions set the compute budget.
  const payout = payoutOf(instructions.slice(2), assets);
  if (payout === null || !("lifetimeToken" in compiled)) {
    throw new TypeError("These are not the bytes of one of our payouts.");
  }
  return { ...payout, blockhash: compiled.lifetimeToken };
}

function payoutOf([first, second]: readonly Instruction[], assets: readonly Asset[]): Payout | null {
  if (first === undefined) return null;
  assertIsInstructionWithAccounts(first);
  assertIsInstructionWithData(first);
  if (first.programAddress === SYSTEM_PROGRAM_ADDRESS) {
    const { accounts, data } = parseTransferSolInstruction(first);
    const asset = assets.find(({ tokenAddress }) => tokenAddress === null);
    return asset === undefined ? null : { asset, to: accounts.destination.address, amount: data.amount };
  }
  // Payouts signed by an earlier version create the account in a separate instruction.
  const isOlder = first.programAddress !== TOKEN_PROGRAM_ADDRESS;
  const transfer = isOlder ? second : first;
  if (transfer === undefined) return null;
  assertIsInstructionWithAccounts(transfer);
  assertIsInstructionWithData(transfer);
  const { accounts, data } = parseTransferCheckedInstruction(transfer);
  const to = isOlder
    ? parseCreateAssociatedTokenIdempotentInstruction(first).accounts.owner.address
    : transfer.accounts[OWNER_AT]?.address;
  const asset = assets.find(({ tokenAddress }) => tokenAddress === accounts.mint.address);
  return asset === undefined || to === undefined ? null : { asset, to, amount: data.amount };
}
