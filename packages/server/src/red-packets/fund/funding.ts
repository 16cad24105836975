import { askChain } from "../../chains/ask-chain.ts";
import type { Asset, Observed } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { appendEvent } from "../../event-log/events.ts";
import { slowly } from "../../http/acts/slow.ts";
import { packetAccount, treasuryAccount } from "../../ledger/account-names.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import {
  isForChallenge,
  isForPacket,
  isForSettlement,
  isTakenByOther,
  type Receipt,
  takeReceipt,
  transfersTo,
} from "../../onchain/transaction-purpose.ts";
import { ownAddresses } from "../../onchain/wallets.ts";
import { refundRest } from "../close/closing.ts";
import type { Network } from "../create/packet-assets.ts";
import { fundKey } from "../create/packet-making.ts";
import { change } from "../locked-packet.ts";
import { NOBODY, packetRecord } from "../packet-record.ts";
import type { PacketRow } from "../packets.store.ts";
import { publishPacket } from "../publish-packet.ts";

/** Interval between checks of a named transfer. */
export const LOOK_MS = 5_000;
/**
 * How long before the packet a transfer may have been made, as its hash may be sent with the packet. Older ones were
 * for something else.
 */
const FUNDING_LEAD_MS = 3_600_000;

/** The transfer that funds a packet, which is created or about to be (protocol §6). */
export interface ExpectedDeposit {
  readonly senderId: number;
  readonly amount: bigint;
  readonly reference: string | null;
  /** Creation time of the packet, epoch milliseconds. */
  readonly createdAt: number;
}

/** Current state of a transaction named for a packet. */
export interface Funding {
  readonly txHash: string;
  /** The address that paid; null: it is not yet known whether it is the right transaction. */
  readonly funder: string | null;
  readonly isFinal: boolean;
  /** The chain did not answer. */
  readonly isSilent?: boolean;
}

/**
 * Looks a transaction up on its chain. Call it outside transactions, because it takes time. A chain that does not
 * answer does not disprove it.
 * Errors: `invalid_tx_hash`, `tx_already_used`, `funding_mismatch`.
 */
export async function lookAtFunding(
  ctx: AppContext,
  network: Network,
  expected: ExpectedDeposit,
  text: string,
  packetId: number | null,
): Promise<Funding> {
  const { chain, asset, treasury } = network;
  const txHash = chain.normalHash(text);
  if (txHash === null) throw fail("invalid_tx_hash");
  const receipt = receiptOf({ chain: chain.kind, chainId: chain.chainId, txHash }, packetId ?? 0);
  if (await isTakenByOther(ctx, receipt)) throw fail("tx_already_used");
  const observed = await observe(ctx, network, txHash, `u${expected.senderId}`);
  if (observed === null) return { txHash, funder: null, isFinal: false, isSilent: true };
  const senders = await ownAddresses(ctx, chain, expected.senderId);
  const { amount, reference, createdAt } = expected;
  const verdict = fundingVerdict(observed, { asset, recipient: treasury, amount, senders, reference, createdAt });
  if (verdict.kind === "refused") throw fail("funding_mismatch", { details: { problem: verdict.problem } });
  if (verdict.kind === "wait") return { txHash, funder: null, isFinal: false };
  if (await isForSomethingElse(ctx, network, observed, { userId: expected.senderId, isNamed: verdict.isNamed }))
    throw fail("tx_already_used");
  return { txHash, funder: verdict.funder, isFinal: verdict.isFinal };
}

/** The parts that a transaction must have to fund a packet. */
interface DepositTerms extends Omit<ExpectedDeposit, "senderId"> {
  readonly asset: Asset;
  /** The platform's wallet. */
  readonly recipient: string;
  /** The sender's own addresses; the transfer must come from one of them or carry the reference. */
  readonly senders: readonly string[];
}

/** Why a transaction does not match: `problem` in the details of `funding_mismatch`. */
type FundingProblem = "tx_failed" | "wrong_recipient" | "wrong_currency" | "wrong_amount" | "wrong_sender" | "too_old";

type FundingVerdict =
  /** It may still match later. */
  | { readonly kind: "wait" }
  | { readonly kind: "refused"; readonly problem: FundingProblem }
  /**
   * It funds the packet; permanent if `isFinal`. `funder`: the address that paid. `isNamed`: it carries the packet's
   * reference.
   */
  | { readonly kind: "funds"; readonly funder: string; readonly isNamed: boolean; readonly isFinal: boolean };

/** Returns whether a transaction funds a packet. The amount must be exact: refunding an excess would cost a fee. */
function fundingVerdict(observed: Observed, terms: DepositTerms): FundingVerdict {
  const { state, isFinal, block } = observed;
  if (state === "failed" && isFinal) return refused("tx_failed");
  if (state !== "confirming" && state !== "final") return { kind: "wait" };
  const transfers = transfersTo(observed, terms);
  if (typeof transfers === "string") return refused(transfers);
  const exact = transfers.filter(({ amount }) => amount === terms.amount);
  if (exact.length === 0) return refused("wrong_amount");
  const isNamed = terms.reference !== null && observed.references.includes(terms.reference);
  // Transfers of the platform to itself bring nothing in.
  const own = exact.find(({ sender }) => sender !== terms.recipient && (isNamed || terms.senders.includes(sender)));
  if (own === undefined) return refused("wrong_sender");
  if (block === null || block.time < terms.createdAt - FUNDING_LEAD_MS) return refused("too_old");
  return { kind: "funds", funder: own.sender, isNamed, isFinal: state === "final" };
}

const refused = (problem: FundingProblem): FundingVerdict => ({ kind: "refused", problem });

/**
 * Returns whether it is meant for another user's packet or for a payment. A transfer that names no packet counts by its
 * sender's address, which anyone may have written into their profile; and anyone can submit a payment's
 * authorization, along with any reference.
 */
async function isForSomethingElse(
  ctx: AppContext,
  { chain }: Network,
  observed: Observed,
  { userId, isNamed }: { userId: number; isNamed: boolean },
): Promise<boolean> {
  if (await isForSettlement(ctx, chain, observed)) return true;
  if (isNamed) return false;
  return (await isForPacket(ctx, observed, { exceptOf: userId })) || isForChallenge(ctx, observed);
}

/** Returns null if the chain gives no trustworthy answer now. */
async function observe(ctx: AppContext, { chain }: Network, txHash: string, owner: string): Promise<Observed | null> {
  try {
    return await askChain(ctx, chain, { owner }, () => slowly(ctx, "chain", () => chain.observe(txHash)));
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
 * Takes a transaction for a locked packet that waits for it, in the caller's transaction. A matching one is bound to
 * the packet, and credited when it is final. Errors: `tx_already_used`.
 */
export async function acceptFunding(ctx: AppContext, row: PacketRow, funding: Funding): Promise<PacketRow> {
  const { txHash, funder, isFinal, isSilent = false } = funding;
  const { chain, chain_id: chainId } = row;
  if (chain === "ledger" || chainId === null) throw new Error(`The packet ${row.id} is not on a chain.`);
  // It stays due after another check, so that the sweeper decides how long to wait.
  const isKnown = row.funding_status === "pending" && row.tx_hash === txHash;
  // A chain that does not answer changes nothing for a known transaction: one that matched before still does.
  if (isKnown && isSilent) return row;
  if (funder !== null && !(await takeReceipt(ctx, receiptOf({ chain, chainId, txHash }, row.id))))
    throw fail("tx_already_used");
  const named = { tx_hash: txHash, funding_status: "pending", funding_problem: null, funder } as const;
  const pending = await change(ctx, row, { ...named, due_at: isKnown ? row.due_at : ctx.clock.now() + LOOK_MS });
  if (funder === null || !isFinal) {
    await publishPacket(ctx, row, pending);
    return pending;
  }
  await credit(ctx, pending, treasuryAccount(chain, chainId));
  return pending.close_reason === null ? activate(ctx, pending) : returnLate(ctx, pending);
}

/** Credits the packet in the ledger with what arrived on the chain. */
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

/** Refunds in full a transfer that arrived after the packet was given up. */
async function returnLate(ctx: AppContext, row: PacketRow): Promise<PacketRow> {
  const remaining = { remaining_amount: row.total_amount, due_at: null };
  const returned = await refundRest(ctx, await change(ctx, row, { funding_status: "settled", ...remaining }));
  await publishPacket(ctx, row, returned);
  return returned;
}
