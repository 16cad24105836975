import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { pause } from "../../base/timers.ts";
import type { Asset, AuthorizationKey, Chain, Observed, Transfer } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import { type AppContext, perServer } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { takeReceipt } from "../../onchain/transaction-purpose.ts";
import { intervalOf } from "../../timing.ts";
import { useChallenge } from "../offers/challenges.store.ts";
import { type Grant, grantOf, grantPayment } from "../pay/grant.ts";
import { observeTransaction, paymentVerdict, problemOf, type Verdict } from "../pay/observe.ts";
import { findHolder, move, type PaymentRow, reserve } from "../payments.store.ts";
import { unusable } from "./exact.ts";
import { type AuthorizationName, moveSettlement, type SettlementRow } from "./settlements.store.ts";

/** Longer than any single step takes. */
export const LEASE_MS = 20_000;
/** Delay before the chain is queried for a settlement that nobody has asked for since. */
export const DUE_MS = 30_000;
const LOOK_MS = 500;
const RETRY_AFTER = 5;
/** A use still missing from the chain's logs this long after its expiry was a cancellation. */
const LOST_MS = 3_600_000;

/** A settlement that this caller works on; `row` is its current state. */
export interface Held {
  row: SettlementRow;
}

/** The facilitator's answer, if it was asked. */
export interface FacilitatorResult {
  /** The transaction that it says did it. */
  readonly named?: string | null;
  /** It was asked to settle, and did not answer. */
  readonly isSilent?: boolean;
  readonly waitMs: number;
}

interface Found {
  readonly hash: string;
  readonly observed: Observed;
}

const authorizations = perServer(() => new KeyedMutex());

/** Serializes the acts on one authorization on this node. */
export function withAuthorization<T>(ctx: AppContext, name: AuthorizationName, act: () => Promise<T>): Promise<T> {
  const { chain_id, token_address, authorizer, nonce } = name;
  return authorizations(ctx).run(`${chain_id} ${token_address} ${authorizer} ${nonce}`, act);
}

export const keyOf = ({ token_address, authorizer, nonce }: AuthorizationName): AuthorizationKey => ({
  token: token_address,
  authorizer,
  nonce,
});

export const settlementPending = () =>
  fail("payment_pending", {
    message: "This payment is being settled. Send the same request again later, and do not pay again.",
    retryAfter: RETRY_AFTER,
  });

/**
 * Stores the next step of a settlement and extends its lease. Errors: `payment_pending` when another caller has taken
 * over.
 */
export async function step(ctx: AppContext, held: Held, change: Partial<Omit<SettlementRow, "id">>): Promise<void> {
  const whole = { ...change, lease_until: ctx.clock.now() + LEASE_MS };
  if (!(await transact(ctx, (ctx) => moveSettlement(ctx.db, held.row, whole)))) throw settlementPending();
  held.row = { ...held.row, ...whole };
}

/** Returns the grant that a settlement got; null if the chain has lost the transaction since. */
export async function grantedBefore(ctx: AppContext, { chain_id, tx_hash }: SettlementRow): Promise<Grant | null> {
  const holder = await findHolder(ctx.db, { chain: "evm", chain_id, tx_hash: tx_hash ?? "" });
  return holder?.state === "granted" ? grantOf(holder) : null;
}

/**
 * Finds the outcome of a settlement on the chain, waits a while for a transfer on its way, and grants it when final.
 * The facilitator's answer is only a hint where to look.
 * Errors: `payment_pending`; `chain_unavailable` when the facilitator was silent and the chain knows nothing of it;
 * `payment_required` when nothing was moved and never will be; shortfalls of what was moved; `payment_already_used`.
 */
export async function conclude(
  ctx: AppContext,
  held: Held,
  { named, isSilent, waitMs }: FacilitatorResult,
): Promise<Grant> {
  const chain = chainsOf(ctx).find("evm", held.row.chain_id);
  const asset = chain?.assets.find(({ tokenAddress }) => tokenAddress === held.row.token_address);
  // A chain or asset missing from the settings cannot be queried until it is configured again.
  if (chain === null || asset === undefined) throw fail("chain_unavailable", { retryAfter: RETRY_AFTER });
  const until = ctx.clock.monotonic() + waitMs;
  const hint = named == null ? null : chain.normalHash(named);
  for (;;) {
    const found = await findTransfer(ctx, chain, held.row, hint);
    if (found === "lie") throw fail("chain_unavailable", { retryAfter: RETRY_AFTER });
    if (found === null) await lost(ctx, chain, held);
    else {
      if (held.row.tx_hash !== found.hash) await step(ctx, held, { state: "settled", tx_hash: found.hash });
      const verdict = verdictOn(found.observed, held.row, asset);
      if (verdict.kind === "paid") return await grant(ctx, held, found, verdict.transfer);
      // A shortfall is permanent only once the transaction is final.
      if (found.observed.isFinal) throw await refuse(ctx, held, fail(verdict.code));
    }
    const isComing = found !== null || hint !== null;
    if (!isComing || ctx.clock.monotonic() >= until) {
      if (found === null && isSilent === true) throw fail("chain_unavailable", { retryAfter: RETRY_AFTER });
      throw settlementPending();
    }
    await pause(intervalOf(ctx, LOOK_MS));
  }
}

/** Returns the transaction that carries this authorization; "lie": the facilitator named a different one. */
async function findTransfer(
  ctx: AppContext,
  chain: Chain,
  row: SettlementRow,
  named: string | null,
): Promise<Found | "lie" | null> {
  const key = keyOf(row);
  const carries = ({ authorizations = [] }: Observed) =>
    authorizations.some(
      ({ token, authorizer, nonce }) => token === key.token && authorizer === key.authorizer && nonce === key.nonce,
    );
  for (const hash of new Set([row.tx_hash, named])) {
    if (hash === null) continue;
    const observed = await observeTransaction(ctx, chain, hash, null);
    if (carries(observed)) return { hash, observed };
    if (hash === named && observed.block !== null) {
      const found = await findByLogs(ctx, chain, row);
      if (found !== null) return found;
      ctx.log.error(
        { settlementId: row.id, txHash: named },
        "the facilitator named a transaction that does not settle this payment",
      );
      return "lie";
    }
  }
  return findByLogs(ctx, chain, row);
}

async function findByLogs(ctx: AppContext, chain: Chain, row: SettlementRow): Promise<Found | null> {
  const { authorizations } = chain;
  if (authorizations === undefined || row.from_height === null) return null;
  if (!(await authorizations.lookAt(keyOf(row))).isUsed) return null;
  const hash = await authorizations.findUse(keyOf(row), row.from_height);
  return hash === null ? null : { hash, observed: await observeTransaction(ctx, chain, hash, null) };
}

/** Handles a settlement that is not on the chain now. Errors: `payment_required` when that is permanent. */
async function lost(ctx: AppContext, chain: Chain, held: Held): Promise<void> {
  const { row } = held;
  if (row.state === "settled") await step(ctx, held, { state: "settling", tx_hash: null });
  const now = ctx.clock.now();
  if (now < row.valid_before) return;
  const hasLapsed = await chain.authorizations?.hasLapsed(keyOf(row), row.valid_before);
  if (hasLapsed === true) throw await refuse(ctx, held, unusable("authorization_expired"));
  if (now >= row.valid_before + LOST_MS) throw await refuse(ctx, held, unusable("authorization_canceled"));
}

function verdictOn(observed: Observed, { authorizer, recipient, amount }: SettlementRow, asset: Asset): Verdict {
  const transfers = observed.transfers.filter(({ sender }) => sender === authorizer);
  return paymentVerdict({ ...observed, transfers }, { asset, recipient, amount: BigInt(amount) });
}

async function refuse(ctx: AppContext, held: Held, error: AppError): Promise<AppError> {
  await step(ctx, held, { state: "refused", reason: problemOf(error) ?? error.code, due_at: null });
  if (held.row.tx_hash !== null) {
    ctx.log.error(
      { settlementId: held.row.id, txHash: held.row.tx_hash, code: error.code },
      "a signed payment was settled but does not match the demand",
    );
  }
  return error;
}

/** Stores the payment and its settlement as granted. */
async function grant(ctx: AppContext, held: Held, { hash, observed }: Found, transfer: Transfer): Promise<Grant> {
  const { row } = held;
  try {
    return await transact(ctx, async (ctx) => {
      const payment = await paymentFor(ctx, row, hash);
      const receipt = { chain: "evm", chainId: row.chain_id, txHash: hash, purpose: "payment" } as const;
      if (!(await takeReceipt(ctx, { ...receipt, subject: String(payment.id) }))) throw fail("payment_already_used");
      // A payer who paid twice for one challenge has still paid: the grant does not depend on the challenge being free.
      await useChallenge(ctx.db, row.payment_id, payment.id);
      const granted = await grantPayment(ctx, payment, {
        transfer,
        binding: "signature",
        blockHash: observed.block?.hash ?? null,
        challenge: { payment_id: row.payment_id, amount: row.amount, price: row.amount },
        refetchHash: payment.refetch_hash,
      });
      const isDone = await moveSettlement(ctx.db, row, { state: "granted", reason: null, due_at: null });
      if (granted === null || !isDone) throw settlementPending();
      return granted;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw settlementPending();
    if (error instanceof AppError && error.code === "payment_already_used") throw await refuse(ctx, held, error);
    throw error;
  }
}

/** Returns the `payments` row to grant: a new one, or the one revoked while the transaction was gone. */
async function paymentFor(ctx: AppContext, row: SettlementRow, txHash: string): Promise<PaymentRow> {
  const key = { chain: "evm", chain_id: row.chain_id, tx_hash: txHash } as const;
  const holder = await findHolder(ctx.db, key);
  const isSame = holder?.resource === row.resource && holder.principal === row.principal;
  if (holder?.state === "revoked" && isSame) return holder;
  // A caller may be showing the bare hash of this settlement's transaction; the settlement takes precedence.
  const gaveWay =
    holder?.state === "verifying" && (await move(ctx.db, holder, { state: "refused", reason: "abandoned" }));
  if (holder !== undefined && !gaveWay) throw fail("payment_already_used");
  const { resource, principal, currency, recipient, amount } = row;
  const now = ctx.clock.now();
  const fields = { resource, principal, currency, recipient, price: amount, lease_until: now, created_at: now };
  const reserved = await reserve(ctx.db, { ...key, ...fields });
  if (reserved === null) throw settlementPending();
  return reserved;
}
