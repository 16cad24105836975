import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";
import { getCreateAccountInstruction, getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system";
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from "@solana-program/token";
import type { Chain } from "../../../src/chains/chain.ts";
import { type SolanaOptions, solanaChain, solanaNetwork } from "../../../src/chains/solana/solana.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";
import { createLog } from "../../../src/logging/log.ts";
import type { SolanaCluster } from "./solana-cluster.ts";

/** The treasury of the tests: a key pair of 64 bytes whose private half is all sevens. */
export const TREASURY_BYTES = await keyBytes(new Uint8Array(32).fill(7));

async function keyBytes(seed: Uint8Array): Promise<Uint8Array> {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const key = await crypto.subtle.importKey("pkcs8", Buffer.concat([prefix, seed]), "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  return Buffer.concat([seed, Buffer.from(x, "base64url")]);
}

export const SOL = 1_000_000_000n;
/** The token's decimal places. */
export const DECIMALS = 6;

/** Creates an account with 100 SOL. */
export async function wallet(cluster: SolanaCluster, sol = 100n): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  endow(cluster, signer.address, sol * SOL);
  return signer;
}

/** Sets an account's lamports. */
export function endow(cluster: SolanaCluster, owner: Address, amount: bigint): void {
  const account = { address: owner, programAddress: SYSTEM_PROGRAM_ADDRESS, lamports: lamports(amount) };
  cluster.svm.setAccount({ ...account, data: new Uint8Array(), executable: false, space: 0n });
}

interface Sending {
  blockhash?: string;
  skipPreflight?: boolean;
  /** Signs without sending. */
  hold?: boolean;
}

/** Sends instructions as a wallet does; returns the first signature and the bytes. */
export async function send(
  cluster: SolanaCluster,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  { blockhash = cluster.head("finalized").hash, skipPreflight = false, hold = false }: Sending = {},
): Promise<{ signature: string; bytes: string }> {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 2n ** 60n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (one) => setTransactionMessageFeePayerSigner(payer, one),
    (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
    (one) => appendTransactionMessageInstructions(instructions, one),
  );
  const signed = await signTransactionMessageWithSigners(message);
  const bytes = getBase64EncodedWireTransaction(signed);
  if (!hold) cluster.send(bytes, { skipPreflight });
  return { signature: getSignatureFromTransaction(signed), bytes };
}

/** Returns the instruction with references added, as Solana Pay does. */
export function withReferences<I extends Instruction>(instruction: I, references: readonly string[]): Instruction {
  const named = references.map((text) => ({ address: address(text), role: AccountRole.READONLY }));
  return { ...instruction, accounts: [...(instruction.accounts ?? []), ...named] };
}

/** Moves SOL. */
export const solTransfer = (from: KeyPairSigner, to: Address, amount: bigint): Instruction =>
  getTransferSolInstruction({ source: from, destination: to, amount });

export async function tokenAccount(owner: Address, mint: Address): Promise<Address> {
  return (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
}

/** Moves a token, and first creates the recipient's account, as wallets do. */
export async function tokenTransfer(
  from: KeyPairSigner,
  to: Address,
  { mint, amount }: { mint: Address; amount: bigint },
): Promise<Instruction[]> {
  const [source, destination] = await Promise.all([tokenAccount(from.address, mint), tokenAccount(to, mint)]);
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer: from, ata: destination, owner: to, mint }),
    getTransferCheckedInstruction({ source, mint, destination, authority: from, amount, decimals: DECIMALS }),
  ];
}

/** Creates a token and gives these owners `amount` each. */
export async function makeToken(
  cluster: SolanaCluster,
  authority: KeyPairSigner,
  owners: readonly Address[],
  amount: bigint,
): Promise<Address> {
  const mint = await generateKeyPairSigner();
  cluster.decimals.set(mint.address, DECIMALS);
  const rent = cluster.svm.minimumBalanceForRentExemption(82n);
  await send(cluster, authority, [
    getCreateAccountInstruction({
      payer: authority,
      newAccount: mint,
      lamports: rent,
      space: 82,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: DECIMALS, mintAuthority: authority.address }),
  ]);
  for (const owner of owners) await mintTo(cluster, authority, { mint: mint.address, owner, amount });
  return mint.address;
}

export async function mintTo(
  cluster: SolanaCluster,
  authority: KeyPairSigner,
  { mint, owner, amount }: { mint: Address; owner: Address; amount: bigint },
): Promise<string> {
  const ata = await tokenAccount(owner, mint);
  const { signature } = await send(cluster, authority, [
    getCreateAssociatedTokenIdempotentInstruction({ payer: authority, ata, owner, mint }),
    getMintToInstruction({ mint, token: ata, mintAuthority: authority, amount }),
  ]);
  return signature;
}

/** Creates an empty account for a token, as wallets do for their owners. */
export async function makeTokenAccount(
  cluster: SolanaCluster,
  payer: KeyPairSigner,
  { mint, owner }: { mint: Address; owner: Address },
): Promise<void> {
  const ata = await tokenAccount(owner, mint);
  await send(cluster, payer, [getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint })]);
}

/** Returns settings for a server on this cluster: its token is USDC. */
export function solanaSettings(
  cluster: SolanaCluster,
  urls: string | readonly string[],
  usdc?: Address,
): SolanaOptions["config"] {
  return {
    solanaRpcUrls: typeof urls === "string" ? [urls] : urls,
    solanaCluster: { name: "own", genesisHash: cluster.genesisHash, chainId: 104 },
    solanaTokens: usdc === undefined ? [] : [{ currency: "USDC", address: usdc, decimals: DECIMALS }],
    solanaTreasuryKey: TREASURY_BYTES,
  };
}

interface SolanaTestOptions {
  usdc?: Address;
  settings?: Partial<SolanaOptions["config"]>;
  callMs?: number;
  clock?: Clock;
  /** Receives failures and disagreements. */
  onTrouble?: (what: string) => void;
}

/** Returns a chain client for these servers, without a Parley server. */
export function solanaOver(
  cluster: SolanaCluster,
  urls: string | readonly string[],
  { usdc, settings, callMs = 4_000, clock = systemClock, onTrouble = () => {} }: SolanaTestOptions = {},
): Promise<Chain> {
  const config = { ...solanaSettings(cluster, urls, usdc), ...settings };
  const network = solanaNetwork({
    clock,
    log: createLog({ level: "silent", readable: false }),
    metrics: {
      chainServerFailed: (_, reason) => onTrouble(reason),
      chainServersDisagreed: () => onTrouble("disagreement"),
    },
    config,
    callMs,
  });
  return solanaChain(network, config);
}
