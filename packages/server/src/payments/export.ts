import type { Db } from "../db/db.ts";
import { type PageAfter, pagedList, withTimes } from "../user-export.ts";

interface ExportedPayment {
  id: number;
  resource: string;
  state: string;
  reason: string | null;
  chain: string;
  chain_id: number;
  currency: string;
  tx_hash: string;
  amount: string | null;
  payer: string | null;
  created_at: number;
}

function paymentsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedPayment>): Promise<ExportedPayment[]> {
  return db
    .selectFrom("payments")
    .select([
      "id",
      "resource",
      "state",
      "reason",
      "chain",
      "chain_id",
      "currency",
      "tx_hash",
      "amount",
      "payer",
      "created_at",
    ])
    .where("principal", "=", `u${userId}`)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export const exportPayments = pagedList(paymentsAfter, ({ id, ...row }) => ({ payment_id: id, ...withTimes(row) }));
