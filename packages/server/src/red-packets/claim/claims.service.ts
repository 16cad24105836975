import { andThen } from "../../base/maybe-promise.ts";
import { becomeMember } from "../../channels/access/become-member.ts";
import { type AppContext, perServer } from "../../context.ts";
import { BatchQueue } from "../../db/batch-queue.ts";
import { type AppError, fail } from "../../errors.ts";
import { transactBatch } from "../../http/acts/acts-of-batch.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { owedAccount, packetAccount, userAccount } from "../../ledger/account-names.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import type { Leg } from "../../ledger/transfer.ts";
import { appendClosed } from "../close/closing.ts";
import { lockPacket, take } from "../locked-packet.ts";
import { type ClaimJson, claimJson, isSameForAll, PacketJson } from "../packet-json.ts";
import { NOBODY, viewerOf } from "../packet-record.ts";
import type { PacketRow } from "../packets.store.ts";
import { appendClaims } from "./claim-events.ts";
import {
  assertMayStillClaim,
  type ChosenClaim,
  type ClaimDraft,
  decideClaims,
  draftClaim,
  packetShares,
  rememberClaimers,
} from "./claim-rules.ts";
import { type ClaimRow, claimId, insertClaims } from "./packet-claims.store.ts";
import { claimKey, payoutRequests } from "./payout-port.ts";

/** A committed claim, with the packet as it is after the claims of the same batch. */
export interface Claimed extends ClaimJson {
  packet: PacketJson;
  /** false: it was claimed before. */
  isNew: boolean;
}

/**
 * Claims the next share of a packet, once per user; a repeat returns the same claim (claim-rules.ts).
 * Errors: `packet_not_found`, `password_required`, `not_eligible`, `packet_empty`, `packet_not_active`,
 * `packet_expired`, `wallet_address_required`, `chain_unavailable`, `overloaded`, and those of `channelOfPacket`.
 */
export async function claimPacket(ctx: AppContext, caller: UserIdentity, packetId: number): Promise<Claimed> {
  return andThen(draftClaim(ctx, caller, packetId), (draft) => {
    const { act } = ctx;
    if (act === undefined) return claimQueue(ctx).add(draft);
    act.remember((ctx, caller) => assertMayStillClaim(ctx, caller, draft), draft.channelId);
    return claimQueue(ctx).add({ ...draft, act });
  });
}

/** The queue of claims to write in batches. A retry of a claim that was written returns that claim. */
export const claimQueue: (ctx: AppContext) => BatchQueue<ClaimDraft, Claimed> = perServer(
  (ctx) =>
    new BatchQueue<ClaimDraft, Claimed>(ctx, {
      commit: (drafts) => transactBatch(ctx, drafts, writeClaims),
    }),
);

/**
 * Writes the claims of a batch inside its transaction; each result has the index of its request. Claims of one packet
 * get ranks in batch order, under the lock of the channel's row: at most `count` of them and one per user, whatever
 * other nodes do concurrently (guarantees P12).
 */
export async function writeClaims(ctx: AppContext, batch: readonly ClaimDraft[]): Promise<(Claimed | AppError)[]> {
  const answers: (Claimed | AppError)[] = new Array(batch.length);
  for (const indexes of byPacket(batch)) {
    const drafts = indexes.flatMap((index) => batch[index] ?? []);
    const written = await claimPacketOnce(ctx, drafts);
    indexes.forEach((index, at) => {
      answers[index] = written[at] ?? fail("internal_error");
    });
  }
  return answers;
}

/**
 * Returns the indexes of the batch grouped by packet. The groups are ordered by channel and packet, so that two nodes
 * cannot deadlock on each other's rows.
 */
function byPacket(batch: readonly ClaimDraft[]): number[][] {
  const groups = new Map<number, number[]>();
  batch.forEach(({ packetId }, index) => {
    const group = groups.get(packetId);
    if (group === undefined) groups.set(packetId, [index]);
    else group.push(index);
  });
  const place = ([index = 0]: number[]) => batch[index] ?? { channelId: 0, packetId: 0 };
  return [...groups.values()].sort(
    (a, b) => place(a).channelId - place(b).channelId || place(a).packetId - place(b).packetId,
  );
}

async function claimPacketOnce(ctx: AppContext, drafts: readonly ClaimDraft[]): Promise<(Claimed | AppError)[]> {
  const [{ channelId, packetId } = { channelId: 0, packetId: 0 }] = drafts;
  const packet = await lockPacket(ctx, channelId, packetId);
  const { earlier, chosen, refusalOf } = await decideClaims(ctx, packet, drafts);
  const { after, claims } = chosen.length === 0 ? { after: packet, claims: [] } : await write(ctx, packet, chosen);
  const fresh = new Map(claims.map((claimed) => [claimed.claim.user_id, claimed]));
  const shown = new PacketJson(after);
  return drafts.map(({ userId }) => {
    const claimed = fresh.get(userId) ?? withJson(packet, earlier.get(userId));
    if (claimed === undefined) return refusalOf(userId);
    // A user who appears twice in a batch gets the same claim twice, as new both times.
    return { packet: shown, claim: claimed.claim, json: claimed.json, isNew: fresh.has(userId) };
  });
}

const withJson = (packet: PacketRow, claim: ClaimRow | undefined): ClaimJson | undefined =>
  claim && { claim, json: claimJson(packet, claim, NOBODY) };

async function write(
  ctx: AppContext,
  packet: PacketRow,
  chosen: readonly ChosenClaim[],
): Promise<{ after: PacketRow; claims: ClaimJson[] }> {
  for (const { joins, userId } of chosen) if (joins) await becomeMember(ctx, packet.channel_id, userId);
  const rows = newClaims(ctx, packet, chosen);
  await insertClaims(ctx.db, rows);
  const claims = rows.map((claim) => ({ claim, json: claimJson(packet, claim, NOBODY) }));
  const sum = rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const after = await take(ctx, packet, rows.length, sum);
  await pay(ctx, packet, rows, sum);
  await appendClaims(ctx, packet, claims);
  if (after.close_reason !== null) await appendClosed(ctx, after, after.close_reason);
  rememberClaimers(ctx, after, rows);
  return { after, claims };
}

/** Returns the claims of the next shares, by rank. */
function newClaims(ctx: AppContext, packet: PacketRow, chosen: readonly ChosenClaim[]): ClaimRow[] {
  const claimed_at = ctx.clock.now();
  const shares = packetShares(ctx, packet);
  const claimed = packet.count - packet.remaining_count;
  return chosen.map(({ userId, username, address }, at) => ({
    id: claimId(packet.id, claimed + at + 1),
    packet_id: packet.id,
    user_id: userId,
    username,
    rank: claimed + at + 1,
    amount: String(shares[claimed + at]),
    address,
    payout_status: address === null ? "settled" : "pending",
    payout_tx_hash: null,
    claimed_at,
  }));
}

/**
 * Posts one transfer for all of them: points to each claimer; on a chain to the owed account, with a payout requested
 * for each.
 */
async function pay(ctx: AppContext, packet: PacketRow, claims: readonly ClaimRow[], sum: bigint): Promise<void> {
  const { id, chain, chain_id } = packet;
  const [first, last] = [claims[0]?.rank, claims.at(-1)?.rank];
  const to: Leg[] =
    chain === "ledger" || chain_id === null
      ? claims.map(({ user_id, amount }) => ({ account: userAccount(user_id), amount: BigInt(amount) }))
      : [{ account: owedAccount(chain, chain_id), amount: sum }];
  await postTransfer(ctx, {
    key: `packet:${id}:claims:${first}-${last}`,
    kind: "packet_claim",
    currency: packet.ledger_currency,
    legs: [{ account: packetAccount(id), amount: -sum }, ...to],
  });
  if (chain === "ledger" || chain_id === null) return;
  for (const { user_id, address, amount } of claims) {
    await payoutRequests.find(ctx)?.request(ctx, {
      key: claimKey(id, user_id),
      reason: "claim",
      chain,
      chainId: chain_id,
      currency: packet.currency,
      tokenAddress: packet.token_address,
      to: address ?? "",
      amount: BigInt(amount),
    });
  }
}

/** Returns the response to a claim as JSON (`ClaimPacketResponse`). */
export function claimAnswer(caller: UserIdentity, { packet, claim, json, isNew }: Claimed): string {
  const viewer = viewerOf(caller);
  const message = isNew ? "You have claimed a share." : "You have already claimed this share.";
  const mine = isSameForAll(claim) ? json : claimJson(packet.row, claim, viewer);
  return `{"success":true,"message":"${message}","claim":${mine},"red_packet":${packet.for(viewer, mine)}}`;
}
