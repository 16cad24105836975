import type { PaymentRecord, PaymentsQuery, PaymentsResponse, PaymentTotal } from "@parley/protocol/payments";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { pagesOf } from "../http/answers/streamed.ts";
import { parseMemberKey } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { findUserId, type GrantedAmount, grantedAmounts, listPayments, usernames } from "./listing.store.ts";
import type { PaymentRow } from "./payments.store.ts";

const TOTALS_AT_ONCE = 2_000;

/** Returns the payments that match the query, newest first. The caller checks the right to see them. */
export async function readPayments(ctx: AppContext, query: PaymentsQuery): Promise<Omit<PaymentsResponse, "success">> {
  const { username, tx_hash, ...plain } = query;
  const userId = username === undefined ? undefined : await findUserId(ctx.db, username);
  const filter = {
    ...plain,
    ...(userId === undefined ? {} : { principal: `u${userId ?? 0}` }),
    ...(tx_hash === undefined ? {} : { tx_hash: normalHash(ctx, tx_hash) }),
  };
  const { shown, ...rest } = await pageBefore(query.limit, (limit) => listPayments(ctx.db, filter, limit));
  const payers = shown.map(({ principal }) => parseMemberKey(principal));
  const ids = payers.flatMap((payer) => (payer?.kind === "user" ? [payer.id] : []));
  const names = await usernames(ctx.db, [...new Set(ids)]);
  return { payments: shown.map((row) => paymentRecord(row, names)), ...rest };
}

/** Returns the hash in the spelling of the chain that it fits. */
function normalHash(ctx: AppContext, text: string): string {
  for (const chain of chainsOf(ctx).all) {
    const hash = chain.normalHash(text);
    if (hash !== null) return hash;
  }
  return text;
}

/** Returns the income by asset and wallet. Reads every granted payment, page by page. */
export async function paymentTotals(ctx: AppContext): Promise<PaymentTotal[]> {
  const totals = new Map<string, { first: GrantedAmount; amount: bigint; count: number }>();
  const read = (last: GrantedAmount | undefined) => grantedAmounts(ctx.db, last?.id ?? 0, TOTALS_AT_ONCE);
  for await (const page of pagesOf(TOTALS_AT_ONCE, read)) {
    for (const row of page) {
      const key = [row.chain, row.chain_id, row.currency, row.recipient].join(" ");
      const total = totals.get(key) ?? { first: row, amount: 0n, count: 0 };
      totals.set(key, { ...total, amount: total.amount + BigInt(row.amount ?? 0), count: total.count + 1 });
    }
  }
  return [...totals.values()].map(({ first: { chain, chain_id, currency, recipient }, amount, count }) => ({
    chain,
    chain_id,
    currency,
    recipient,
    amount: amount.toString(),
    count,
  }));
}

function paymentRecord(row: PaymentRow, names: ReadonlyMap<number, string>): PaymentRecord {
  return {
    id: row.id,
    state: row.state,
    reason: row.reason,
    resource: row.resource,
    chain: row.chain,
    chain_id: row.chain_id,
    currency: row.currency,
    tx_hash: row.tx_hash,
    price: row.price,
    amount: row.amount,
    recipient: row.recipient,
    payer: row.payer,
    binding: row.binding,
    presented_by: presenter(row.principal, names),
    created_at: isoTime(row.created_at),
    granted_at: isoTimeOrNull(row.granted_at),
  };
}

function presenter(principal: string, names: ReadonlyMap<number, string>): string {
  const payer = parseMemberKey(principal);
  if (payer === null) return "guest";
  return payer.kind === "user" ? `user:${names.get(payer.id) ?? payer.id}` : `agent:${payer.id}`;
}
