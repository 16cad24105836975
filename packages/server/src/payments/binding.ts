import { paymentMessage } from "@parley/protocol/payments";
import { isSignedBy } from "../accounts/wallet-signature.ts";
import { provenUser } from "../accounts/wallets.service.ts";
import type { Chain, Observed, Transfer } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { isForPacket } from "../packets/references.ts";
import { ownAddresses } from "../packets/wallets.ts";
import type { ChallengeRow } from "./challenges.store.ts";
import { GUEST_PRINCIPAL, isDemanded } from "./challenges.ts";
import type { PaymentRow } from "./payments.store.ts";
import { invalid, type Proof } from "./proof.ts";

/** A transfer that pays, and who says that it is his. */
export interface Claim {
  readonly caller: Identity;
  readonly proof: Proof;
  readonly chain: Chain;
  readonly challenge: ChallengeRow;
  readonly observed: Observed;
  readonly transfer: Transfer;
}

/**
 * What shows that the payment is the caller's: a hash is public, so whoever watches the chain can present it first (contract, section 7).
 * - `signature`: the payer's, over the demand.
 * - `reference`: the transaction carries the demand's id, and the demand was this account's. A guest's demand is nobody's, and its id is
 *   public with the transaction: that is as good as none.
 * - `profile`: it came from the proven address of the caller's profile.
 * - `none`: a bare hash, where the settings allow it.
 * Errors: `invalid_payment_signature`; `payment_already_used` when it shows that it is another's; `payment_required` when it shows nothing
 * and has to.
 */
export async function bindingOf(ctx: AppContext, claim: Claim): Promise<NonNullable<PaymentRow["binding"]>> {
  const { caller, proof, chain, challenge, observed, transfer } = claim;
  if (proof.payer !== null && chain.normalAddress(proof.payer) !== transfer.sender) {
    throw invalid("The transaction was not paid by that payer.");
  }
  if (proof.signature !== null) {
    if (await isPayersSignature(proof.signature, chain, transfer.sender, challenge)) return "signature";
    throw invalid("The signature is not the payer's, or not over this payment.");
  }
  const isNamed = observed.references.includes(challenge.payment_id);
  if (isNamed && challenge.principal !== GUEST_PRINCIPAL) return "reference";
  if (!isNamed && (await isDemanded(ctx, observed.references))) throw notYours();
  const exceptOf = caller.kind === "user" ? caller.userId : undefined;
  if (await isForPacket(ctx, observed, { exceptOf })) throw notYours();
  // A payout: what the seller was given here is nobody's payment.
  if (transfer.sender === chain.treasury) throw notYours();
  if (caller.kind === "user" && (await ownAddresses(ctx, chain, caller.userId)).includes(transfer.sender)) {
    return "profile";
  }
  if ((await provenUser(ctx, chain.kind, transfer.sender)) !== null) throw notYours();
  if (ctx.config.paymentAllowUnbound) return "none";
  throw fail("payment_required", {
    message:
      "A bare hash is not taken here: sign messageToSign with the wallet that paid, and send payer and signature.",
    details: { problem: "not_bound" },
  });
}

const notYours = () => fail("payment_already_used", { details: { problem: "not_yours" } });

/** Did that wallet sign that demand? Errors: `invalid_payment_signature` for what has not the form of a signature. */
export async function isPayersSignature(
  signature: string,
  chain: Chain,
  payer: string,
  demand: { readonly payment_id: string; readonly resource: string },
): Promise<boolean> {
  try {
    return await isSignedBy(chain.kind, payer, paymentMessage(demand.payment_id, demand.resource), signature);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_signature")
      throw invalid("This has not the form of a signature.");
    throw error;
  }
}
