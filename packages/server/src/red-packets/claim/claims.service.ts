import { andThen, valueIfReady } from "../../base/maybe-promise.ts";
import { membershipOf, readableChannel } from "../../channels/access/access.ts";
import { assertNotBanned } from "../../channels/bans/bans.ts";
import { type Channel, isOpen } from "../../channels/channel.ts";
import { findChannel, membership } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { packetFacts } from "../packet-hold.ts";
import { claimJson, isSameForAll } from "../packet-json.ts";
import { viewerOf } from "../packet-record.ts";
import { type ClaimDraft, type Claimed, claimQueue } from "./claim-batch.ts";
import { findPayee } from "./payees.ts";

/**
 * Claims the next share of a packet, once per user; a repeat returns the same claim. Members may claim, including muted
 * ones and the sender; in a public channel claiming joins.
 * Errors: `packet_not_found`, `password_required`, `not_eligible`, `packet_empty`, `packet_not_active`,
 * `packet_expired`, `wallet_address_required`, `chain_unavailable`, `overloaded`, and those of `channelOfPacket`.
 */
export async function claimPacket(ctx: AppContext, caller: UserIdentity, packetId: number): Promise<Claimed> {
  return andThen(draftAtOnce(ctx, caller, packetId) ?? findDraft(ctx, caller, packetId), (draft) => {
    const { act } = ctx;
    if (act === undefined) return claimQueue(ctx).add(draft);
    act.remember((ctx, caller) => assertStillEligible(ctx, caller, draft), draft.channelId);
    return claimQueue(ctx).add({ ...draft, act });
  });
}

/** Decides again about a claim: a member who has lost their place does not join again. */
async function assertStillEligible(ctx: AppContext, caller: Identity, draft: ClaimDraft): Promise<void> {
  if (caller.kind !== "user") throw fail("session_required");
  const channel = await channelOfPacket(ctx, caller, draft.packetId);
  if ((await joinsByClaiming(ctx, caller, channel)) && !draft.joins) throw notEligible("not_a_member");
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
  return { packetId, channelId: channel.id, userId, username, payee: await findPayee(ctx, caller, packetId), joins };
}

/** Returns the response to a claim as JSON (`ClaimPacketResponse`). */
export function claimAnswer(caller: UserIdentity, { packet, claim, json, isNew }: Claimed): string {
  const viewer = viewerOf(caller);
  const message = isNew ? "You have claimed a share." : "You have already claimed this share.";
  const mine = isSameForAll(claim) ? json : claimJson(packet.row, claim, viewer);
  return `{"success":true,"message":"${message}","claim":${mine},"red_packet":${packet.for(viewer, mine)}}`;
}

/**
 * Returns the channel of a packet the caller may see. Errors: `packet_not_found`, `password_required`, `banned`,
 * `session_required`, `payment_required`, `payments_not_configured`.
 */
export async function channelOfPacket(ctx: AppContext, caller: Identity, packetId: number): Promise<Channel> {
  const facts = await packetFacts(ctx, packetId);
  if (facts === null) throw fail("packet_not_found");
  return readableChannel(ctx, caller, { id: facts.channelId }, "packet_not_found");
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
