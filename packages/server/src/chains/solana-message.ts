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
import type { Asset } from "./chain.ts";
import { associatedAccount } from "./solana-moves.ts";

/** Units of computing with room: a payout of SOL takes 450 with the two instructions of the budget, one of a token some 7,000. */
const SOL_UNITS = 1_000;
const TOKEN_UNITS = 15_000;
/** What the network takes for one signature. */
const SIGNATURE_LAMPORTS = 5_000n;
const MICROS = 1_000_000n;
/** Where the owner is named in a token's transfer: behind source, mint, destination and authority. */
const OWNER_AT = 4;

/** A payout: what goes where. */
export interface Payout {
  readonly asset: Asset;
  readonly to: string;
  readonly amount: bigint;
}

/** How a transaction is paid for and how long it can be included. */
export interface Terms {
  readonly treasury: Address;
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
  /** Millionths of a lamport for a unit of computing. */
  readonly price: bigint;
  /**
   * 32 random bytes. Two payouts of one amount to one owner with one blockhash would otherwise be one and the same transaction, and only
   * one of them would be paid.
   */
  readonly mark: Uint8Array;
}

/** Units of computing that a payout of this asset may take. */
export const unitsOf = ({ tokenAddress }: Asset): number => (tokenAddress === null ? SOL_UNITS : TOKEN_UNITS);

/** Lamports that the network takes for a payout of this asset at a price. */
export function networkFee(asset: Asset, price: bigint): bigint {
  return SIGNATURE_LAMPORTS + (BigInt(unitsOf(asset)) * price + MICROS - 1n) / MICROS;
}

/** The transaction of a payout, not signed. */
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
  // No account is created here: whoever has none would be given the rent of one (protocol §7).
  return [marked(named(transfer, owner), mark)];
}

/** Adds an account that is only named, as a reference of Solana Pay is; programs pass over it. */
const named = (instruction: Instruction, account: Address): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), { address: account, role: AccountRole.READONLY }],
});

const marked = (instruction: Instruction, mark: Uint8Array): Instruction =>
  named(instruction, getAddressDecoder().decode(mark));

/** What signed bytes of ours pay, and the blockhash that limits them. @throws TypeError when they are none */
export function readPayout(bytes: string, assets: readonly Asset[]): Payout & { blockhash: string } {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(bytes));
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { instructions } = decompileTransactionMessage(compiled);
  // The first two are the budget's.
  const payout = payoutOf(instructions.slice(2), assets);
  if (payout === null || !("lifetimeToken" in compiled)) {
    throw new TypeError("These are not the bytes of a payout of ours.");
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
  // Payouts that an earlier version has signed create the account in an instruction of its own.
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
