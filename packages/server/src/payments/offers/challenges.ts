import { RATES } from "@parley/protocol/limits";
import { DEMAND_TAILS_MAX, PAYMENT_SECONDS, type PaymentDemand, paymentMessage } from "@parley/protocol/payments";
import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { Chain } from "../../chains/chain.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { Identity } from "../../http/identity.ts";
import { freeAmount, type TailRange, tailRange } from "./amount-tails.ts";
import {
  type ChallengeRow,
  countTails,
  GUEST_PRINCIPAL,
  insertChallenge,
  knownChallenges,
  lockPayer,
  openChallenges,
  renewChallenge,
  takenAmounts,
} from "./challenges.store.ts";
import type { Offer, Quote } from "./offers.ts";

const REFERENCE_BYTES = 32;
const HOLDS_MS = PAYMENT_SECONDS * 1_000;
const DAY_MS = 24 * 3_600_000;
/** A demand this old is not handed out again: demands are deleted after a day. */
const RENEWED_MS = DAY_MS / 2;
/** Random amounts to try before looking up the free ones. */
const TRIES = 4;

/** Requests for a demand, by the asker's subject: asking twice at once must not make two demands. */
const askers = perServer(() => new KeyedMutex());

/** Names the account behind all its sessions or keys: `u<user id>`, `a<agent id>`, or `g`, a guest like any other. */
export function principalOf(caller: Identity): string {
  return caller.kind === "guest" ? GUEST_PRINCIPAL : caller.key;
}

/** A caller who is asked to pay. */
export interface Asker {
  readonly caller: Identity;
  /** The key of their limits: the account, or a guest's network. */
  readonly subject: string;
}

/**
 * Demands a payment from a caller. Returns their unused demand for the same terms, so that asking again never creates
 * two; otherwise stores a new one, with an amount that no other demand has. `known` are demands that a guest has shown.
 * If the caller has a payment that `isPending`, a new demand is for the bare price.
 */
export function challenge(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  quote: Quote,
  { known = [], isPending = false }: { known?: readonly ChallengeRow[]; isPending?: boolean } = {},
): Promise<ChallengeRow> {
  return askers(ctx).run(asker.subject, async () => {
    const given = async (ctx: AppContext) =>
      (await givenBefore(ctx, known, quote)) ??
      (await givenBefore(ctx, await demandsOf(ctx, asker.caller, offer), quote));
    const before = await given(ctx);
    const { caller } = asker;
    if (before !== null || caller.kind === "guest") return before ?? newChallenge(ctx, asker, offer, quote, isPending);
    return transact(ctx, async (ctx) => {
      // Another node may ask for the same account.
      await lockPayer(ctx.db, caller);
      return (await given(ctx)) ?? newChallenge(ctx, asker, offer, quote, isPending);
    });
  });
}

/** Returns an account's demands. Guests are recognised only by the demand they show. */
async function demandsOf(ctx: AppContext, caller: Identity, { resource }: Offer): Promise<readonly ChallengeRow[]> {
  if (caller.kind === "guest") return [];
  return openChallenges(ctx.db, { resource, principal: principalOf(caller), until: Number.MAX_SAFE_INTEGER });
}

async function givenBefore(
  ctx: AppContext,
  known: readonly ChallengeRow[],
  { chain, asset, recipient, amount }: Quote,
): Promise<ChallengeRow | null> {
  const now = ctx.clock.now();
  const same = known.find(
    (one) =>
      one.used_by === null &&
      one.revealed_at === null &&
      one.created_at > now - RENEWED_MS &&
      one.chain === chain.kind &&
      one.chain_id === chain.chainId &&
      one.token_address === asset.tokenAddress &&
      one.recipient === recipient &&
      one.price === amount.toString(),
  );
  if (same === undefined) return null;
  if (same.expires_at - now >= HOLDS_MS / 2) return same;
  // A demand that got no tail may get one now.
  const isBare = same.amount === same.price && tailRange(amount, false) !== null;
  if (isBare && same.expires_at <= now) return null;
  const expires_at = now + HOLDS_MS;
  return (await renewChallenge(ctx.db, same.payment_id, expires_at)) ? { ...same, expires_at } : null;
}

/** Stores a new demand. Its id is a reference that a transfer on that chain can carry. */
async function newChallenge(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  quote: Quote,
  isPending: boolean,
): Promise<ChallengeRow> {
  const { chain, asset, amount, recipient } = quote;
  const now = ctx.clock.now();
  const row: ChallengeRow = {
    payment_id: chain.reference(ctx.clock.random(REFERENCE_BYTES)),
    resource: offer.resource,
    principal: principalOf(asker.caller),
    chain: chain.kind,
    chain_id: chain.chainId,
    currency: asset.currency,
    token_address: asset.tokenAddress,
    recipient,
    price: amount.toString(),
    amount: amount.toString(),
    created_at: now,
    expires_at: now + HOLDS_MS,
    used_by: null,
    revealed_at: null,
  };
  const range = isPending ? null : tailRange(amount, asker.caller.kind === "guest");
  const exact = range !== null && (await mayHaveTail(ctx, asker)) ? await insertWithTail(ctx, row, range) : null;
  if (exact === null) await insertChallenge(ctx.db, row);
  return exact ?? row;
}

/** Limits how many tails one caller can take from the others. */
async function mayHaveTail(ctx: AppContext, { caller, subject }: Asker): Promise<boolean> {
  if (caller.kind === "guest") return (await ctx.limiter.take(RATES.guestDemand, subject)).allowed;
  return (await countTails(ctx.db, principalOf(caller), ctx.clock.now() - DAY_MS)) < DEMAND_TAILS_MAX;
}

/**
 * Stores the demand with a unique amount; null when none is free. The unique index decides between concurrent callers
 * who choose the same one.
 */
async function insertWithTail(ctx: AppContext, row: ChallengeRow, range: TailRange): Promise<ChallengeRow | null> {
  const price = BigInt(row.price);
  const most = (price + range.most).toString();
  let taken: Set<string> | undefined;
  for (let attempt = 0; attempt < 2 * TRIES; attempt += 1) {
    // Amounts are compared as texts, so only those with the same number of digits can be looked up.
    if (attempt === TRIES && most.length === row.price.length) {
      taken = await takenAmounts(ctx.db, row, most);
    }
    const amount = freeAmount(ctx.clock, price, range, taken);
    if (amount === null) return null;
    const exact = { ...row, amount };
    if (await insertChallenge(ctx.db, exact)) return exact;
    taken?.add(amount);
  }
  return null;
}

/** Returns whether any of these references is the id of a demand. */
export const isDemanded = async (ctx: AppContext, references: readonly string[]): Promise<boolean> =>
  (await knownChallenges(ctx.db, references)).length > 0;

/** Returns a demand as sent to clients; null if its chain or asset is no longer configured. */
export function demandOf(row: ChallengeRow, chain: Chain): PaymentDemand | null {
  const asset = chain.assets.find(({ tokenAddress }) => tokenAddress === row.token_address);
  if (asset === undefined) return null;
  return {
    amount: row.amount,
    price: row.price,
    currency: row.currency,
    chainId: row.chain_id,
    recipient: row.recipient,
    paymentId: row.payment_id,
    resource: row.resource,
    expiresAt: isoTime(row.expires_at),
    chain: row.chain,
    tokenAddress: row.token_address,
    decimals: asset.decimals,
    messageToSign: paymentMessage(row.payment_id, row.resource),
  };
}
