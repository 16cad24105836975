import type { Observed } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { appendEvent } from "../messages/events.ts";
import { isDemanded } from "../payments/challenges.ts";
import { isSettledHere } from "../payments/earmarks.ts";
import { postTransfer } from "../points/ledger.ts";
import { packetAccount, treasuryAccount } from "./accounts.ts";
import { giveBack } from "./closing.ts";
import { fundingVerdict } from "./funding-rules.ts";
import type { Network } from "./packet-assets.ts";
import { change } from "./packet-hold.ts";
import { fundKey } from "./packet-making.ts";
import { NOBODY, packetRecord } from "./packet-record.ts";
import type { PacketRow } from "./packets.store.ts";
import { isTakenByOther, type Receipt, takeReceipt } from "./receipts.ts";
import { isForPacket } from "./references.ts";
import { tellPacket } from "./telling.ts";
import { ownAddresses } from "./wallets.ts";

/** How often a transfer that was named is looked at. */
export const LOOK_MS = 5_000;

/** A packet that wants funding, made already or about to be. */
export interface WantsFunding {
  readonly senderId: number;
  readonly amount: bigint;
  readonly reference: string | null;
  readonly createdAt: number;
}

/** What a transaction that was named for a packet is worth now. */
export interface Funding {
  readonly txHash: string;
  /** Whose value it was; null: it is not known yet whether it is the right one. */
  readonly funder: string | null;
  readonly isFinal: boolean;
  /** The chain gave no answer. */
  readonly isSilent?: boolean;
}

/**
 * Looks a transaction up on its chain; outside of transactions, because that takes its time. A chain that does not answer says nothing
 * against it.
 * Errors: `invalid_tx_hash`, `tx_already_used`, `funding_mismatch`.
 */
export async function lookAtFunding(
  ctx: AppContext,
  network: Network,
  wanted: WantsFunding,
  text: string,
  packetId: number | null,
): Promise<Funding> {
  const { chain, asset, treasury } = network;
  const txHash = chain.normalHash(text);
  if (txHash === null) throw fail("invalid_tx_hash");
  const receipt = receiptOf({ chain: chain.kind, chainId: chain.chainId, txHash }, packetId ?? 0);
  if (await isTakenByOther(ctx, receipt)) throw fail("tx_already_used");
  const observed = await observe(network, txHash);
  if (observed === null) return { txHash, funder: null, isFinal: false, isSilent: true };
  const senders = await ownAddresses(ctx, chain, wanted.senderId);
  const { amount, reference, createdAt } = wanted;
  const verdict = fundingVerdict(observed, { asset, recipient: treasury, amount, senders, reference, createdAt });
  if (verdict.kind === "refused") throw fail("funding_mismatch", { details: { problem: verdict.problem } });
  if (verdict.kind === "wait") return { txHash, funder: null, isFinal: false };
  if (await isForSomethingElse(ctx, network, observed, { userId: wanted.senderId, isNamed: verdict.isNamed }))
    throw fail("tx_already_used");
  return { txHash, funder: verdict.funder, isFinal: verdict.isFinal };
}

/**
 * Is it meant for somebody else's packet, or for a payment? What names no packet counts by the address that it came from, which anybody may have written into
 * his profile; and a transfer that was signed as a payment can be brought to the chain by anybody, beside whatever reference.
 */
async function isForSomethingElse(
  ctx: AppContext,
  { chain }: Network,
  observed: Observed,
  { userId, isNamed }: { userId: number; isNamed: boolean },
): Promise<boolean> {
  if (await isSettledHere(ctx, chain, observed)) return true;
  if (isNamed) return false;
  return (await isForPacket(ctx, observed, { exceptOf: userId })) || isDemanded(ctx, observed.references);
}

/** null: the chain gives no answer that can be trusted now. */
async function observe({ chain }: Network, txHash: string): Promise<Observed | null> {
  try {
    return await chain.observe(txHash);
  } catch (error) {
    if (error instanceof AppError && error.code === "chain_unavailable") return null;
    throw error;
  }
}

const receiptOf = (tx: Pick<Receipt, "chain" | "chainId" | "txHash">, packetId: number): Receipt => ({
  ...tx,
  purpose: "packet",
  subject: String(packetId),
});

/**
 * Takes a transaction for a packet that is held and waits for it, in the caller's transaction. One that is the right one is the packet's from now
 * on, and credited when it is final. Errors: `tx_already_used`.
 */
export async function acceptFunding(ctx: AppContext, row: PacketRow, funding: Funding): Promise<PacketRow> {
  const { txHash, funder, isFinal, isSilent = false } = funding;
  const { chain, chain_id: chainId } = row;
  if (chain === "ledger" || chainId === null) throw new Error(`The packet ${row.id} is on no chain.`);
  // Looked at again it stays due, so that the sweeper decides how long it is waited for.
  const isKnown = row.funding_status === "pending" && row.tx_hash === txHash;
  // Silence takes nothing back: one that was seen before stays the right one.
  if (isKnown && isSilent) return row;
  if (funder !== null && !(await takeReceipt(ctx, receiptOf({ chain, chainId, txHash }, row.id))))
    throw fail("tx_already_used");
  const named = { tx_hash: txHash, funding_status: "pending", funding_problem: null, funder } as const;
  const pending = await change(ctx, row, { ...named, due_at: isKnown ? row.due_at : ctx.clock.now() + LOOK_MS });
  if (funder === null || !isFinal) {
    await tellPacket(ctx, row, pending);
    return pending;
  }
  await credit(ctx, pending, treasuryAccount(chain, chainId));
  return pending.close_reason === null ? activate(ctx, pending) : returnLate(ctx, pending);
}

/** What has arrived on the chain is in the ledger, and the packet's. */
async function credit(ctx: AppContext, row: PacketRow, treasury: string): Promise<void> {
  const amount = BigInt(row.total_amount);
  const legs = [
    { account: treasury, amount: -amount },
    { account: packetAccount(row.id), amount },
  ];
  await postTransfer(ctx, { key: fundKey(row.id), kind: "packet_fund", currency: row.ledger_currency, legs });
}

async function activate(ctx: AppContext, row: PacketRow): Promise<PacketRow> {
  const expiresAt = ctx.clock.now() + row.expires_in * 1_000;
  const times = { expires_at: expiresAt, due_at: expiresAt };
  const active = await change(ctx, row, { status: "active", funding_status: "settled", ...times });
  const data = { packet_id: row.id, red_packet: packetRecord(active, NOBODY, null) };
  await appendEvent(ctx, row.channel_id, "red_packet:new", { data });
  return active;
}

/** It came after the packet was given up: all of it goes back. */
async function returnLate(ctx: AppContext, row: PacketRow): Promise<PacketRow> {
  const remaining = { remaining_amount: row.total_amount, due_at: null };
  const returned = await giveBack(ctx, await change(ctx, row, { funding_status: "settled", ...remaining }));
  await tellPacket(ctx, row, returned);
  return returned;
}
