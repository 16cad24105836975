import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { Prepared } from "../db/statements/prepared.ts";
import type { ChainReceiptsTable } from "../db/tables/packets.ts";

type ReceiptRow = Selectable<ChainReceiptsTable>;
export type ReceiptKey = Pick<ReceiptRow, "chain" | "chain_id" | "tx_hash">;

const BY_KEY = new Prepared((db, key: ReceiptKey) =>
  db
    .selectFrom("chain_receipts")
    .selectAll()
    .where("chain", "=", key.chain)
    .where("chain_id", "=", key.chain_id)
    .where("tx_hash", "=", key.tx_hash),
);

export function findReceipt(db: Db, key: ReceiptKey): Promise<ReceiptRow | undefined> {
  return BY_KEY.first(db, key);
}

const INSERT = new Prepared((db, of: ReceiptRow) =>
  db
    .insertInto("chain_receipts")
    .values({
      chain: of.chain,
      chain_id: of.chain_id,
      tx_hash: of.tx_hash,
      purpose: of.purpose,
      subject: of.subject,
      created_at: of.created_at,
    })
    .onConflict((conflict) => conflict.columns(["chain", "chain_id", "tx_hash"]).doNothing()),
);

/** Inserts a receipt; false when the transaction is already taken. Waits for a concurrent transaction that takes it. */
export async function insertReceipt(db: Db, receipt: ReceiptRow): Promise<boolean> {
  return (await INSERT.changes(db, receipt)) === 1;
}
