import { RATES } from "@parley/protocol/limits";
import { DEMAND_TAILS_MAX, PAYMENT_SECONDS, type PaymentDemand, paymentMessage } from "@parley/protocol/payments";
import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { Identity } from "../../http/identity.ts";
import { freeAmount, type TailRange, tailRange } from "./amount-tails.ts";
import {
  type ChallengeRow,
  countTails,
  findByAmount,
  GUEST_PRINCIPAL,
  insertChallenge,
  lockPayer,
  openChallenges,
  renewChallenge,
  takenAmounts,
} from "./challenges.store.ts";
import type { Offer, Requirements } from "./offers.ts";

const REFERENCE_BYTES = 32;
const HOLDS_MS = PAYMENT_SECONDS * 1_000;
const DAY_MS = 24 * 3_600_000;
/** A challenge this old is not handed out again: challenges are deleted after a day. */
const RENEWED_MS = DAY_MS / 2;
/** Random amounts to try before looking up the free ones. */
const TRIES = 4;

/** How far a block's time may precede the challenge: block producers set it. */
export const SKEW_MS = 60_000;
/** At most this many transfers of one transaction are looked up by amount. */
const TRANSFERS_READ = 20;

/** Requests for a challenge, by the asker's subject: asking twice at once must not make two challenges. */
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
 * Asks a caller to pay. Returns their unused challenge with the same requirements, so that asking again never creates
 * two; otherwise stores a new one, with an amount that no other challenge has. `known` are challenges that a guest has
 * shown. If the caller has a payment that `isPending`, a new challenge is for the bare price.
 */
export function issueChallenge(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  required: Requirements,
  { known = [], isPending = false }: { known?: readonly ChallengeRow[]; isPending?: boolean } = {},
): Promise<ChallengeRow> {
  return askers(ctx).run(asker.subject, async () => {
    const given = async (ctx: AppContext) =>
      (await givenBefore(ctx, known, required)) ??
      (await givenBefore(ctx, await challengesOf(ctx, asker.caller, offer), required));
    const before = await given(ctx);
    const { caller } = asker;
    if (before !== null || caller.kind === "guest")
      return before ?? newChallenge(ctx, asker, offer, required, isPending);
    return transact(ctx, async (ctx) => {
      // Another node may ask for the same account.
      await lockPayer(ctx.db, caller);
      return (await given(ctx)) ?? newChallenge(ctx, asker, offer, required, isPending);
    });
  });
}

/** Returns an account's challenges. Guests are recognised only by the challenge they show. */
async function challengesOf(ctx: AppContext, caller: Identity, { resource }: Offer): Promise<readonly ChallengeRow[]> {
  if (caller.kind === "guest") return [];
  return openChallenges(ctx.db, { resource, principal: principalOf(caller), until: Number.MAX_SAFE_INTEGER });
}

async function givenBefore(
  ctx: AppContext,
  known: readonly ChallengeRow[],
  { chain, asset, recipient, amount }: Requirements,
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
  // A challenge that got no tail may get one now.
  const isBare = same.amount === same.price && tailRange(amount, false) !== null;
  if (isBare && same.expires_at <= now) return null;
  const expires_at = now + HOLDS_MS;
  return (await renewChallenge(ctx.db, same.payment_id, expires_at)) ? { ...same, expires_at } : null;
}

/** Stores a new challenge. Its id is a reference that a transfer on that chain can carry. */
async function newChallenge(
  ctx: AppContext,
  asker: Asker,
  offer: Offer,
  required: Requirements,
  isPending: boolean,
): Promise<ChallengeRow> {
  const { chain, asset, amount, recipient } = required;
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
 * Stores the challenge with a unique amount; null when none is free. The unique index decides between concurrent callers
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

/** Returns the unused challenge that a transaction pays with its unique amount (protocol §7); null if there is none. */
export async function challengeByAmount(
  ctx: AppContext,
  chain: Chain,
  { block }: Pick<Observed, "block">,
  transfers: readonly Transfer[],
): Promise<ChallengeRow | null> {
  for (const { asset, recipient, amount } of transfers.slice(0, TRANSFERS_READ)) {
    const found = await findByAmount(ctx.db, {
      chain: chain.kind,
      chain_id: chain.chainId,
      recipient,
      token_address: asset.tokenAddress,
      amount: amount.toString(),
    });
    if (found !== undefined && found.used_by === null && isInTime(found, block)) return found;
  }
  return null;
}

/** Returns whether the block was made between the challenge and its expiry, with some tolerance for clocks. */
const isInTime = ({ created_at, expires_at }: ChallengeRow, block: Observed["block"]): boolean =>
  block !== null && created_at - SKEW_MS <= block.time && block.time <= expires_at + SKEW_MS;

/** Returns a challenge as sent to clients; null if its chain or asset is no longer configured. */
export function challengeRecord(row: ChallengeRow, chain: Chain): PaymentDemand | null {
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
