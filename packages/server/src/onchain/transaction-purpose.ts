import type { Selectable } from "kysely";
import type { Asset, Chain, ChainKind, Observed, Transfer } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { Prepared } from "../db/statements/prepared.ts";
import type { ChainReceiptsTable } from "../db/tables/packets.ts";

/**
 * Tells what a transaction on a chain pays for. Red packets and payments share the wallets that they are paid to, and anyone
 * can show a hash: each asks here whether the transaction is meant for something else.
 */

/** A transaction on a chain, and the one thing it pays for. */
export interface Receipt {
  readonly chain: ChainKind;
  readonly chainId: number;
  /** In the form of `Chain.normalHash`. */
  readonly txHash: string;
  readonly purpose: "packet" | "payment";
  /** Which one, such as a packet's id. */
  readonly subject: string;
}

type ReceiptRow = Selectable<ChainReceiptsTable>;
type ReceiptKey = Pick<ReceiptRow, "chain" | "chain_id" | "tx_hash">;

const FIND = new Prepared((db, key: ReceiptKey) =>
  db
    .selectFrom("chain_receipts")
    .selectAll()
    .where("chain", "=", key.chain)
    .where("chain_id", "=", key.chain_id)
    .where("tx_hash", "=", key.tx_hash),
);

const INSERT = new Prepared((db, { chain, chain_id, tx_hash, purpose, subject, created_at }: ReceiptRow) =>
  db
    .insertInto("chain_receipts")
    .values({ chain, chain_id, tx_hash, purpose, subject, created_at })
    .onConflict((conflict) => conflict.columns(["chain", "chain_id", "tx_hash"]).doNothing()),
);

const keyOf = ({ chain, chainId, txHash }: Receipt): ReceiptKey => ({ chain, chain_id: chainId, tx_hash: txHash });

/**
 * Takes a transaction for one purpose, in the caller's transaction. Returns false if it was taken for something else,
 * across packets and payments; true also if it was taken for the same before. It is never released. Waits for a
 * concurrent transaction that takes it.
 */
export async function takeReceipt(ctx: AppContext, receipt: Receipt): Promise<boolean> {
  const { purpose, subject } = receipt;
  const row = { ...keyOf(receipt), purpose, subject, created_at: ctx.clock.now() };
  return (await INSERT.changes(ctx.db, row)) === 1 || !(await isTakenByOther(ctx, receipt));
}

/** Returns whether the transaction was taken for anything else. */
export async function isTakenByOther(ctx: AppContext, receipt: Receipt): Promise<boolean> {
  const found = await FIND.first(ctx.db, keyOf(receipt));
  return found !== undefined && (found.purpose !== receipt.purpose || found.subject !== receipt.subject);
}

/** Returns the transfers of an asset to a recipient that a transaction made, or the code that says why it made none. */
export function transfersTo(
  { transfers }: Pick<Observed, "transfers">,
  to: { readonly recipient: string; readonly asset: Asset },
): readonly Transfer[] | "wrong_recipient" | "wrong_currency" {
  const here = transfers.filter(({ recipient }) => recipient === to.recipient);
  if (here.length === 0) return "wrong_recipient";
  const { tokenAddress, currency } = to.asset;
  const ofAsset = here.filter(({ asset }) => asset.tokenAddress === tokenAddress && asset.currency === currency);
  return ofAsset.length === 0 ? "wrong_currency" : ofAsset;
}

/**
 * Returns whether a transaction carries the reference of a packet. It then pays for that packet, whoever shows its
 * hash: anyone can read the hash, and can write the sender's address into their own profile. Packets of the user
 * `exceptOf` do not count.
 */
export async function isForPacket(
  { db }: AppContext,
  { references }: Pick<Observed, "references">,
  { exceptOf }: { exceptOf?: number | undefined } = {},
): Promise<boolean> {
  if (references.length === 0) return false;
  const rows = await db.selectFrom("packets").select("sender_id").where("reference", "in", references).execute();
  return rows.some(({ sender_id }) => sender_id !== exceptOf);
}

/** Returns whether a transaction carries the id of a payment's challenge. */
export async function isForChallenge(
  { db }: AppContext,
  { references }: Pick<Observed, "references">,
): Promise<boolean> {
  if (references.length === 0) return false;
  const query = db.selectFrom("payment_challenges").select("payment_id").where("payment_id", "in", references);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** At most this many authorizations of one transaction are looked up. */
const AUTHORIZATIONS_READ = 100;

/**
 * Returns whether a transaction carries out an authorization that this server settles or has settled. It can pay only
 * for that settlement's challenge.
 */
export async function isForSettlement(
  { db }: AppContext,
  { chainId }: Pick<Chain, "chainId">,
  { authorizations = [] }: Pick<Observed, "authorizations">,
): Promise<boolean> {
  for (const authorization of authorizations.slice(0, AUTHORIZATIONS_READ)) {
    if (await isSettlement(db, chainId, authorization)) return true;
  }
  return false;
}

async function isSettlement(
  db: Db,
  chainId: number,
  { token, authorizer, nonce }: NonNullable<Observed["authorizations"]>[number],
): Promise<boolean> {
  const found = await db
    .selectFrom("payment_settlements")
    .select("id")
    .where("chain_id", "=", chainId)
    .where("token_address", "=", token)
    .where("authorizer", "=", authorizer)
    .where("nonce", "=", nonce)
    .where("state", "<>", "refused")
    .executeTakeFirst();
  return found !== undefined;
}
