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
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  parseCreateAssociatedTokenIdempotentInstruction,
  parseTransferCheckedInstruction,
} from "@solana-program/token";
import type { Asset } from "./chain.ts";
import { associatedAccount } from "./solana-moves.ts";

/** What a payout takes, with room: a transfer with the two instructions of the budget takes 450; making the account, some 30,000. */
const SOL_UNITS = 1_000;
const TOKEN_UNITS = 80_000;
/** What the network takes for one signature. */
const SIGNATURE_LAMPORTS = 5_000n;
const MICROS = 1_000_000n;

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
  return [
    // Whoever never had this token has no account for it; where there is one already, this does nothing.
    getCreateAssociatedTokenIdempotentInstruction({ payer: signer, ata: destination, owner, mint }),
    marked(
      getTransferCheckedInstruction({ source, mint, destination, authority: signer, amount, decimals: asset.decimals }),
      mark,
    ),
  ];
}

/** With one more account that is only named, as a reference of Solana Pay is; programs pass over it. */
const marked = (instruction: Instruction, mark: Uint8Array): Instruction => ({
  ...instruction,
  accounts: [
    ...(instruction.accounts ?? []),
    { address: getAddressDecoder().decode(mark), role: AccountRole.READONLY },
  ],
});

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
  if (second === undefined) return null;
  assertIsInstructionWithAccounts(second);
  assertIsInstructionWithData(second);
  const { accounts } = parseCreateAssociatedTokenIdempotentInstruction(first);
  const { data } = parseTransferCheckedInstruction(second);
  const asset = assets.find(({ tokenAddress }) => tokenAddress === accounts.mint.address);
  return asset === undefined ? null : { asset, to: accounts.owner.address, amount: data.amount };
}
