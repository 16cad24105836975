import type { SecurityNoticeKind } from "@parley/protocol/accounts";
import type { AppContext } from "../../context.ts";
import { enqueueMail } from "../mails.ts";

/**
 * The notices that also go to the user's confirmed address: those of an account that may be in other hands, or is about to
 * be. Others are only in the page, such as those of agents' keys and webhooks. The former address gets the
 * notice of a changed address (accounts/addresses). Suspended users get no mail, so there is none about a suspension.
 */
const MAILED = [
  "password_changed",
  "reset_link_made",
  "level_changed",
  "wallet_changed",
  "new_device",
  "identity_linked",
  "identity_unlinked",
  "second_factor_added",
  "second_factor_removed",
  "second_factor_failed",
  "recovery_codes_made",
  "recovery_code_used",
] as const satisfies readonly SecurityNoticeKind[];

/** The notices of which there are mails. */
export type MailedNotice = (typeof MAILED)[number] | "email_changed";

const isMailed = (kind: SecurityNoticeKind): kind is (typeof MAILED)[number] =>
  (MAILED as readonly SecurityNoticeKind[]).includes(kind);

/**
 * Asks for the mail of a notice, in the transaction that stores the notice. It names nobody, because an erasure could not
 * find that in a mail that waits.
 */
export async function mailNotice(
  ctx: AppContext,
  notice: { userId: number; kind: SecurityNoticeKind; actor: string; details: object },
): Promise<void> {
  // The link itself was mailed.
  if (!isMailed(notice.kind) || "mailed" in notice.details) return;
  const { network = null } = notice.details as { network?: string };
  const parameters = { notice: notice.kind, at: ctx.clock.now(), actor: notice.actor, network };
  await enqueueMail(ctx, { kind: "security_notice", to: { userId: notice.userId }, parameters });
}
