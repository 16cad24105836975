import { paymentMessage } from "@parley/protocol/payments";
import { isSignedBy } from "../../accounts/wallets/wallet-proof.ts";
import { provenUser } from "../../accounts/wallets/wallets.service.ts";
import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { isForPacket } from "../../onchain/references.ts";
import { ownAddresses } from "../../onchain/wallets.ts";
import { type ChallengeRow, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { isDemanded } from "../offers/challenges.ts";
import type { PaymentRow } from "../payments.store.ts";
import { exactDemand } from "./exact-demand.ts";
import { invalid, type Proof } from "./payment-header.ts";

export type PayerProof = NonNullable<PaymentRow["binding"]>;

/** A transfer that pays, and the caller who claims it. */
export interface PayerClaim {
  readonly caller: Identity;
  readonly proof: Proof;
  readonly chain: Chain;
  readonly challenge: ChallengeRow;
  readonly observed: Observed;
  readonly transfer: Transfer;
  /** The caller's earlier grant for this transaction, if its block was removed since; else null. */
  readonly before: Pick<PaymentRow, "payment_id" | "binding"> | null;
}

/**
 * Returns what proves that the payment is the caller's. A hash is public, so anyone who watches the chain can present
 * it first. From the strongest to the weakest (protocol §7):
 * - `signature`: the payer's, over the demand.
 * - `reference`: the transaction carries the demand's id, and the demand was made of this account. For guests that is
 *   no proof: the id is public with the transaction.
 * - `profile`: it came from the proven address of the caller's profile.
 * - `amount`: it is the exact amount of the caller's open demand, which no other demand has.
 * - `none`: a bare hash, where the settings allow it.
 * A payment that was granted before keeps its binding.
 * A transfer is not the caller's if it carries the id of another demand or packet, or if another caller has or may make
 * a stronger claim.
 * Errors: `invalid_payment_signature`; `payment_already_used` when it is another caller's; `payment_required` when
 * nothing shows whose it is.
 */
export async function findPayerProof(ctx: AppContext, claim: PayerClaim): Promise<PayerProof> {
  const { caller, proof, chain, challenge, observed, transfer } = claim;
  if (proof.payer !== null && chain.normalAddress(proof.payer) !== transfer.sender) {
    throw invalid("The transaction was not sent by that payer.");
  }
  const isNamed = observed.references.includes(challenge.payment_id);
  if (await isMeantElsewhere(ctx, claim, isNamed)) throw notYours();
  // A transaction that carries another of the caller's demands answers that one, whichever one they signed.
  if (proof.signature !== null && proof.paymentId === challenge.payment_id) {
    if (await isPayersSignature(proof.signature, chain, transfer.sender, challenge)) return "signature";
    throw invalid("The signature was not made by the payer, or it signs another payment.");
  }
  if (isNamed && challenge.principal !== GUEST_PRINCIPAL) return "reference";
  if (caller.kind === "user" && (await ownAddresses(ctx, chain, caller.userId)).includes(transfer.sender)) {
    return "profile";
  }
  const before = earlierProof(claim, isNamed);
  if (before !== null) return before;
  if ((await provenUser(ctx, chain.kind, transfer.sender)) !== null) throw notYours();
  const exact = await exactDemand(ctx, chain, observed, [transfer]);
  if (exact !== null && exact.payment_id !== challenge.payment_id) throw notYours();
  if (exact !== null && isRecognised(claim, isNamed)) return "amount";
  if (ctx.config.paymentAllowUnbound) return "none";
  throw fail("payment_required", {
    message:
      "Nothing proves that this payment is yours. Sign messageToSign with the wallet that paid, and send paymentId, payer and signature.",
    details: { problem: "not_bound" },
  });
}

/**
 * True if the transaction carries the id of another demand or of somebody else's packet, or is a payout of this server.
 */
async function isMeantElsewhere(
  ctx: AppContext,
  { caller, chain, observed, transfer }: PayerClaim,
  isNamed: boolean,
): Promise<boolean> {
  if (transfer.sender === chain.treasury) return true;
  if (!isNamed && (await isDemanded(ctx, observed.references))) return true;
  return isForPacket(ctx, observed, { exceptOf: caller.kind === "user" ? caller.userId : undefined });
}

/**
 * True if the demand was made of this caller: of the account, or of a guest who shows its id, which no chain reveals.
 */
const isRecognised = ({ proof, challenge }: PayerClaim, isNamed: boolean): boolean =>
  challenge.principal !== GUEST_PRINCIPAL ||
  (proof.paymentId === challenge.payment_id && challenge.revealed_at === null && !isNamed);

/**
 * Returns the binding of an earlier grant to this caller whose block was removed; null if there is none. The demand is
 * used and may have lapsed by the time of the new block, so its exact amount cannot prove this again.
 */
function earlierProof(claim: PayerClaim, isNamed: boolean): PayerProof | null {
  const { before, challenge } = claim;
  const isSame = before?.payment_id === challenge.payment_id && isRecognised(claim, isNamed);
  return isSame ? before.binding : null;
}

const notYours = () => fail("payment_already_used", { details: { problem: "not_yours" } });

/** True if that wallet has signed that demand. Errors: `invalid_payment_signature` when the signature is malformed. */
export async function isPayersSignature(
  signature: string,
  chain: Chain,
  payer: string,
  demand: { readonly payment_id: string; readonly resource: string },
): Promise<boolean> {
  try {
    return await isSignedBy(chain.kind, payer, paymentMessage(demand.payment_id, demand.resource), signature);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_signature") throw invalid("The signature is malformed.");
    throw error;
  }
}
