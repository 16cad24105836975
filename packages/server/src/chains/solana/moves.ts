import { type Address, address, isAddress } from "@solana/kit";
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import type { Asset, Transfer } from "../chain.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { RpcTransaction, TokenBalance } from "./shapes.ts";

type Meta = RpcTransaction["meta"];

/** The change of each owner's balance, in the order of the transaction's accounts. */
type Moves = ReadonlyMap<string, bigint>;

/** The changes of lamports in a transaction. */
export interface SolMoves {
  readonly fee: bigint;
  /** Lamports paid into token accounts as rent. */
  readonly rent: bigint;
  /** The changes of all other accounts; the fee is added back to the payer's. */
  readonly wallets: Moves;
}

/** @throws RpcFailure if the balances cannot be this transaction's */
export function solMoves(accounts: readonly Address[], meta: Meta): SolMoves {
  const { preBalances, postBalances } = meta;
  if (preBalances.length !== accounts.length || postBalances.length !== accounts.length) {
    throw new RpcFailure("malformed");
  }
  const fee = BigInt(meta.fee);
  const tokenAccounts = new Set([...meta.preTokenBalances, ...meta.postTokenBalances].map((b) => b.accountIndex));
  const wallets = new Map<string, bigint>();
  let [made, rent] = [fee, 0n];
  for (const [i, account] of accounts.entries()) {
    const moved = BigInt(postBalances[i] ?? 0) - BigInt(preBalances[i] ?? 0);
    made += moved;
    if (!tokenAccounts.has(i)) wallets.set(account, i === 0 ? moved + fee : moved);
    else if (moved > 0n) rent += moved;
  }
  // No transaction creates lamports.
  if (made > 0n) throw new RpcFailure("malformed");
  return { fee, rent, wallets };
}

export function solTransfers({ wallets }: SolMoves, assets: readonly Asset[]): Transfer[] {
  const native = assets.find(({ tokenAddress }) => tokenAddress === null);
  return native === undefined
    ? []
    : [...wallets].flatMap(([owner, moved]) => transferOf(native, owner, moved, wallets));
}

/**
 * Returns the transfers of allowed tokens, by owner and mint. Only tokens that arrive in the owner's associated account
 * count, because wallets look there and the treasury pays from there. Otherwise, taking over a whole other token
 * account would credit tokens that cannot be spent.
 * @throws RpcFailure if the balances cannot be this transaction's
 */
export async function tokenTransfers(
  accounts: readonly Address[],
  meta: Meta,
  assets: readonly Asset[],
): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (const asset of assets) {
    if (asset.tokenAddress === null) continue;
    const mint = address(asset.tokenAddress);
    const changes = changesOf(asset, accounts, meta);
    const moves = sumByOwner(changes);
    // The total grew: tokens were minted, and nobody paid them.
    if ([...moves.values()].reduce((sum, moved) => sum + moved, 0n) > 0n) continue;
    for (const [owner, moved] of moves) {
      if (moved <= 0n) continue;
      const usual = await associatedAccount(address(owner), mint);
      // Match by account, whatever its earlier owner is said to be: nobody else can have owned this one.
      const arrived = changes.filter(({ account }) => account === usual).reduce((sum, { amount }) => sum + amount, 0n);
      transfers.push(...transferOf(asset, owner, arrived < moved ? arrived : moved, moves));
    }
  }
  return transfers;
}

/** Returns the account that holds an owner's tokens of a mint (program "Associated Token Account"). */
export async function associatedAccount(owner: Address, mint: Address): Promise<Address> {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return account;
}

/** Names the owner who gave most as the sender: nearly always there is only one. */
function transferOf(asset: Asset, owner: string, amount: bigint, moves: Moves): Transfer[] {
  const [giver] = [...moves].toSorted(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  if (amount <= 0n || giver === undefined || giver[1] >= 0n) return [];
  return [{ asset, sender: giver[0], recipient: owner, amount }];
}

interface Change {
  account: Address;
  owner: string;
  amount: bigint;
}

/**
 * Returns the change of each token account: its balance before, subtracted, and its balance after. The owners of the
 * two may differ.
 */
function changesOf(asset: Asset, accounts: readonly Address[], meta: Meta): Change[] {
  const before = balancesOf(asset, accounts, meta.preTokenBalances);
  return [
    ...before.map((change) => ({ ...change, amount: -change.amount })),
    ...balancesOf(asset, accounts, meta.postTokenBalances),
  ];
}

function balancesOf(asset: Asset, accounts: readonly Address[], balances: readonly TokenBalance[]): Change[] {
  if (new Set(balances.map(({ accountIndex }) => accountIndex)).size !== balances.length)
    throw new RpcFailure("malformed");
  return balances
    .filter(({ mint }) => mint === asset.tokenAddress)
    .map(({ accountIndex, owner, uiTokenAmount: { amount, decimals } }) => {
      const account = accounts[accountIndex];
      if (account === undefined || decimals !== asset.decimals || !isAddress(owner)) throw new RpcFailure("malformed");
      return { account, owner, amount: BigInt(amount) };
    });
}

function sumByOwner(changes: readonly Change[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { owner, amount } of changes) sums.set(owner, (sums.get(owner) ?? 0n) + amount);
  return sums;
}
