import type { Kysely, Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { ChainReceiptsTable } from "../db/tables-packets.ts";

type Db = Kysely<Tables>;
export type ReceiptKey = Pick<Selectable<ChainReceiptsTable>, "chain" | "chain_id" | "tx_hash">;

export function findReceipt(db: Db, key: ReceiptKey): Promise<Selectable<ChainReceiptsTable> | undefined> {
  return db
    .selectFrom("chain_receipts")
    .selectAll()
    .where("chain", "=", key.chain)
    .where("chain_id", "=", key.chain_id)
    .where("tx_hash", "=", key.tx_hash)
    .executeTakeFirst();
}

/** False when the transaction stands for something already. Waits for a transaction that is about to say so. */
export async function insertReceipt(db: Db, receipt: Selectable<ChainReceiptsTable>): Promise<boolean> {
  const result = await db
    .insertInto("chain_receipts")
    .values(receipt)
    .onConflict((conflict) => conflict.columns(["chain", "chain_id", "tx_hash"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
