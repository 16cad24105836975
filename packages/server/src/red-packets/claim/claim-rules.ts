import type { ErrorCode } from "@parley/protocol/errors";
import { LoadingCache } from "../../base/loading-cache.ts";
import { valueIfReady } from "../../base/maybe-promise.ts";
import { membershipOf } from "../../channels/access/access.ts";
import { assertNotBanned } from "../../channels/bans/bans.ts";
import { type Channel, isOpen } from "../../channels/channel.ts";
import { findChannel, membership } from "../../channels/channel-cache.ts";
import { type AppContext, perServer } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { ActsDraft } from "../../http/acts/acts-of-batch.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { channelOfPacket, packetFacts } from "../locked-packet.ts";
import { findPacket, type PacketRow } from "../packets.store.ts";
import { type ClaimRow, claimersOf, claimsOfUser, claimsOfUsers } from "./packet-claims.store.ts";
import { confirmPayees, findPayee, type Payable, type Payee } from "./payees.ts";
import { sharesOf } from "./split.ts";

/**
 * The rules of a claim (protocol §6).
 *
 * Before the transaction, `draftClaim` decides who may claim: members, also muted ones and the sender, and in a public
 * channel everybody who is not banned, who joins by it. On a chain it also finds the address to pay. If the caller's
 * rights end while the claim waits, `assertMayStillClaim` decides again in the transaction.
 *
 * In the transaction, with the packet locked, `decideClaims` decides whatever others may have changed: whether it can be
 * claimed from now (`claimRefusal`), once per user, at most `count` in all, and whether the address is still the
 * claimer's (`confirmPayees`). How much a claim gets depends on its rank alone (`packetShares`).
 */

/** A claim that has passed every check that does not need the locked packet; `payee` may hold a refusal. */
export interface ClaimDraft extends Payable, ActsDraft {
  readonly packetId: number;
  readonly channelId: number;
  /** Not a member of the (public) channel yet; joins it by claiming. */
  readonly joins: boolean;
}

/**
 * Decides whether the caller may claim from a packet.
 * Errors: `not_eligible`, `chain_unavailable`, `overloaded`, and those of `channelOfPacket`.
 */
export function draftClaim(ctx: AppContext, caller: UserIdentity, packetId: number): ClaimDraft | Promise<ClaimDraft> {
  return draftAtOnce(ctx, caller, packetId) ?? findDraft(ctx, caller, packetId);
}

/**
 * Fast path of nearly every claim: of points, by a member of a public channel, with everything in memory. Decided
 * synchronously; null if the claim needs `findDraft`.
 */
function draftAtOnce(ctx: AppContext, caller: UserIdentity, packetId: number): ClaimDraft | null {
  const facts = valueIfReady(packetFacts(ctx, packetId));
  // For a packet on a chain, the chain is asked whether the claimer can be paid.
  if (facts == null || facts.chain !== "ledger") return null;
  const channel = valueIfReady(findChannel(ctx, { id: facts.channelId }));
  if (channel == null || !isOpen(channel) || !ctx.config.guestRead) return null;
  if (valueIfReady(membership(ctx, channel.id, caller.userId)) == null) return null;
  const { userId, username } = caller;
  return { packetId, channelId: channel.id, userId, username, payee: null, joins: false };
}

async function findDraft(ctx: AppContext, caller: UserIdentity, packetId: number): Promise<ClaimDraft> {
  const channel = await channelOfPacket(ctx, caller, packetId);
  const joins = await joinsByClaiming(ctx, caller, channel);
  const { userId, username } = caller;
  return { packetId, channelId: channel.id, userId, username, payee: await payeeOf(ctx, caller, packetId), joins };
}

/** Decides again about a claim: a member who has lost their place does not join again. */
export async function assertMayStillClaim(ctx: AppContext, caller: Identity, draft: ClaimDraft): Promise<void> {
  if (caller.kind !== "user") throw fail("session_required");
  const channel = await channelOfPacket(ctx, caller, draft.packetId);
  if ((await joinsByClaiming(ctx, caller, channel)) && !draft.joins) throw notEligible("not_a_member");
}

/**
 * Returns whether the caller is not a member yet and may join by claiming. Errors: `not_eligible`, with the reason in
 * its details.
 */
async function joinsByClaiming(ctx: AppContext, caller: UserIdentity, channel: Channel): Promise<boolean> {
  if ((await membershipOf(ctx, caller, channel)) !== null) return false;
  if (!isOpen(channel)) throw notEligible("not_a_member");
  try {
    await assertNotBanned(ctx, caller, channel.id);
  } catch (error) {
    if (error instanceof AppError && error.code === "banned") throw notEligible("banned");
    throw error;
  }
  return true;
}

const notEligible = (reason: "not_a_member" | "banned") => fail("not_eligible", { details: { reason } });

/** Finds where the caller would be paid on a chain; null if nothing would be paid there. */
async function payeeOf(ctx: AppContext, caller: UserIdentity, packetId: number): Promise<Payee> {
  if ((await packetFacts(ctx, packetId))?.chain === "ledger") return null;
  const packet = await findPacket(ctx.db, packetId);
  if (packet === undefined || claimRefusal(packet, ctx.clock.now()) !== null) return null;
  if ((await claimsOfUser(ctx.db, caller.userId, [packetId])).length > 0) return null;
  return findPayee(ctx, caller, packet);
}

/** Returns why nothing can be claimed from a packet at that time; null if something can. */
export function claimRefusal(
  { status, close_reason, expires_at }: Pick<PacketRow, "status" | "close_reason" | "expires_at">,
  now: number,
): ErrorCode | null {
  if (status === "active") return expires_at <= now ? "packet_expired" : null;
  if (close_reason === "exhausted") return "packet_empty";
  if (close_reason === "expired") return "packet_expired";
  return "packet_not_active";
}

/** A claim that gets the next share. */
export interface ChosenClaim extends ClaimDraft {
  /** The address that is paid on a chain; null for points. */
  readonly address: string | null;
}

/** What was decided about the claims of a batch, by user. */
interface DecidedClaims {
  /** Claims that were written before: a repeat is answered with the same claim. */
  readonly earlier: ReadonlyMap<number, ClaimRow>;
  /** Those that get the next shares, in this order. */
  readonly chosen: readonly ChosenClaim[];
  /** Why a user has neither. */
  refusalOf(userId: number): AppError;
}

/** Decides about claims of one packet, which the caller's transaction has locked. The first claimers get the shares. */
export async function decideClaims(
  ctx: AppContext,
  packet: PacketRow,
  drafts: readonly ClaimDraft[],
): Promise<DecidedClaims> {
  const refusal = claimRefusal(packet, ctx.clock.now());
  const earlier = await earlierClaims(ctx, packet, drafts, refusal === null);
  const isNew = ({ userId }: ClaimDraft): boolean => !earlier.has(userId);
  const fresh = refusal === null ? drafts.filter(isNew) : [];
  const addressOf = await confirmPayees(ctx, packet, fresh);
  const chosen = new Map<number, ChosenClaim>();
  const refused = new Map<number, AppError>();
  for (const draft of fresh) {
    const address = addressOf(draft);
    if (address instanceof AppError) refused.set(draft.userId, address);
    else if (chosen.size < packet.remaining_count && !chosen.has(draft.userId))
      chosen.set(draft.userId, { ...draft, address });
  }
  const refusalOf = (userId: number) => refused.get(userId) ?? fail(refusal ?? "packet_empty");
  return { earlier, chosen: [...chosen.values()], refusalOf };
}

/** Returns the earlier claims of these users. While a packet can be claimed, its claimers are cached. */
async function earlierClaims(
  ctx: AppContext,
  packet: PacketRow,
  drafts: readonly ClaimDraft[],
  isActive: boolean,
): Promise<ReadonlyMap<number, ClaimRow>> {
  const known = isActive ? await knownClaimers(ctx, packet) : null;
  const asked = new Set<number>();
  for (const { userId } of drafts) if (known === null || known.has(userId)) asked.add(userId);
  const claims = asked.size === 0 ? [] : await claimsOfUsers(ctx.db, packet.id, [...asked]);
  return new Map(claims.map((claim) => [claim.user_id, claim]));
}

const KEPT = 1_000;

/** Claimers of the packets being claimed. */
const claimers = perServer(() => new LoadingCache<number, Set<number>>(KEPT));

/**
 * Returns who has claimed from a locked packet. The cached set is complete when its size equals the number of shares
 * taken from the packet, whichever node wrote the claims: a claim is never withdrawn.
 */
async function knownClaimers(ctx: AppContext, packet: PacketRow): Promise<ReadonlySet<number>> {
  const count = packet.count - packet.remaining_count;
  const known = claimers(ctx).get(packet.id);
  if (known?.size === count) return known;
  const found = new Set(count === 0 ? [] : await claimersOf(ctx.db, packet.id));
  claimers(ctx).set(packet.id, found);
  return found;
}

/** Adds new claimers to a cached set after the commit; forgets the set if they exhaust the packet. */
export function rememberClaimers(ctx: AppContext, after: PacketRow, claims: readonly { user_id: number }[]): void {
  ctx.afterCommit(() => {
    if (after.remaining_count === 0) return claimers(ctx).forget(after.id);
    const known = claimers(ctx).get(after.id);
    for (const { user_id } of claims) known?.add(user_id);
  });
}

/** Shares of the packets being claimed, cached by commitment, which determines them. */
const shares = perServer(() => new LoadingCache<string, readonly bigint[]>(KEPT));

/** Returns the shares of a packet by rank. Secret until it is closed. */
export function packetShares(ctx: AppContext, packet: PacketRow): readonly bigint[] {
  const known = shares(ctx).get(packet.commitment);
  if (known !== undefined) return known;
  const { split_type: type, count } = packet;
  const terms = { type, total: BigInt(packet.total_amount), count, minShare: BigInt(packet.min_share) };
  const split = sharesOf(terms, Buffer.from(packet.seed, "hex"));
  shares(ctx).set(packet.commitment, split);
  return split;
}
