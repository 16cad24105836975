import { paymentMessage } from "@parley/protocol/payments";
import { isSignedBy } from "../../accounts/wallets/wallet-proof.ts";
import { provenUser } from "../../accounts/wallets/wallets.service.ts";
import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { isForChallenge, isForPacket } from "../../onchain/transaction-purpose.ts";
import { ownAddresses } from "../../onchain/wallets.ts";
import { type ChallengeRow, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { challengeByAmount } from "../offers/challenges.ts";
import type { PaymentRow } from "../payments.store.ts";
import { invalid, type TransactionProof } from "./headers.ts";

/** The fact that binds a payment to the caller who shows it. */
export type Binding = NonNullable<PaymentRow["binding"]>;

/** A grant whose block was removed since. */
export type EarlierGrant = Pick<PaymentRow, "payment_id" | "binding">;

/** A transfer that pays, and the caller who shows it. */
interface ShownTransfer {
  readonly caller: Identity;
  readonly proof: TransactionProof;
  readonly chain: Chain;
  readonly challenge: ChallengeRow;
  readonly observed: Observed;
  readonly transfer: Transfer;
  /** The caller's earlier grant for this transaction. */
  readonly before: EarlierGrant | null;
}

/**
 * Returns what binds the payment to the caller. A hash is public, so anyone who watches the chain can show it first.
 * From the strongest to the weakest (protocol §7):
 * - `signature`: the payer's, over the challenge.
 * - `reference`: the transaction carries the challenge's id, and the challenge was made for this account. For guests
 *   that binds nothing: the id is public with the transaction.
 * - `profile`: it came from the proven address of the caller's profile.
 * - `amount`: it is the exact amount of the caller's open challenge, which no other challenge has.
 * - `none`: a bare hash, where the settings allow it.
 * A payment that was granted before keeps its binding.
 * A transfer is not the caller's if it carries the id of another challenge or packet, or if another caller has or may
 * get a stronger binding.
 * Errors: `invalid_payment_signature`; `payment_already_used` when it is another caller's; `payment_required` when
 * nothing shows whose it is.
 */
export async function findBinding(ctx: AppContext, shown: ShownTransfer): Promise<Binding> {
  const { caller, proof, chain, challenge, observed, transfer } = shown;
  if (proof.payer !== null && chain.normalAddress(proof.payer) !== transfer.sender) {
    throw invalid("The transaction was not sent by that payer.");
  }
  const isNamed = observed.references.includes(challenge.payment_id);
  if (await isMeantElsewhere(ctx, shown, isNamed)) throw notYours();
  // A transaction that carries another of the caller's challenges answers that one, whichever one they signed.
  if (proof.signature !== null && proof.paymentId === challenge.payment_id) {
    if (await isPayersSignature(proof.signature, chain, transfer.sender, challenge)) return "signature";
    throw invalid("The signature was not made by the payer, or it signs another payment.");
  }
  if (isNamed && challenge.principal !== GUEST_PRINCIPAL) return "reference";
  if (caller.kind === "user" && (await ownAddresses(ctx, chain, caller.userId)).includes(transfer.sender)) {
    return "profile";
  }
  const before = earlierBinding(shown, isNamed);
  if (before !== null) return before;
  if ((await provenUser(ctx, chain.kind, transfer.sender)) !== null) throw notYours();
  const exact = await challengeByAmount(ctx, chain, observed, [transfer]);
  if (exact !== null && exact.payment_id !== challenge.payment_id) throw notYours();
  if (exact !== null && isRecognised(shown, isNamed)) return "amount";
  if (ctx.config.paymentAllowUnbound) return "none";
  throw fail("payment_required", {
    message:
      "Nothing proves that this payment is yours. Sign messageToSign with the wallet that paid, and send paymentId, payer and signature.",
    details: { problem: "not_bound" },
  });
}

/**
 * Returns whether the transaction carries the id of another challenge or of somebody else's packet, or is a payout of
 * this server.
 */
async function isMeantElsewhere(
  ctx: AppContext,
  { caller, chain, observed, transfer }: ShownTransfer,
  isNamed: boolean,
): Promise<boolean> {
  if (transfer.sender === chain.treasury) return true;
  if (!isNamed && (await isForChallenge(ctx, observed))) return true;
  return isForPacket(ctx, observed, { exceptOf: caller.kind === "user" ? caller.userId : undefined });
}

/**
 * Returns whether the challenge was made for this caller: for the account, or for a guest who shows its id, which no
 * chain reveals.
 */
const isRecognised = ({ proof, challenge }: ShownTransfer, isNamed: boolean): boolean =>
  challenge.principal !== GUEST_PRINCIPAL ||
  (proof.paymentId === challenge.payment_id && challenge.revealed_at === null && !isNamed);

/**
 * Returns the binding of an earlier grant to this caller whose block was removed; null if there is none. The challenge
 * is used and may have lapsed by the time of the new block, so its exact amount cannot bind the payment again.
 */
function earlierBinding(shown: ShownTransfer, isNamed: boolean): Binding | null {
  const { before, challenge } = shown;
  const isSame = before?.payment_id === challenge.payment_id && isRecognised(shown, isNamed);
  return isSame ? before.binding : null;
}

const notYours = () => fail("payment_already_used", { details: { problem: "not_yours" } });

/**
 * Returns whether that wallet has signed that challenge. Errors: `invalid_payment_signature` when the signature is
 * malformed.
 */
export async function isPayersSignature(
  signature: string,
  chain: Chain,
  payer: string,
  challenge: { readonly payment_id: string; readonly resource: string },
): Promise<boolean> {
  try {
    return await isSignedBy(chain.kind, payer, paymentMessage(challenge.payment_id, challenge.resource), signature);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_signature") throw invalid("The signature is malformed.");
    throw error;
  }
}
