import type { Invitation } from "@parley/protocol/invitations";
import type { MailInvitationBody } from "@parley/protocol/mail";
import { audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR, requireLevel } from "../../http/site-levels.ts";
import { findUserById } from "../accounts.store.ts";
import { enqueueMail, requireMail } from "../mails.ts";
import { checkEmail } from "../profiles/addresses.ts";
import { isSuspended } from "../sessions/start-login.ts";
import { makeInvitation, openInvitation } from "./invitations.ts";

/**
 * Makes an invitation and mails its link (protocol §17). Nobody learns whether the address belongs to an account. The
 * audit log has who did it, without the address.
 * @throws forbidden, mail_off, invalid_email, invitation_limit_reached
 */
export async function mailInvitation(
  ctx: AppContext,
  caller: UserIdentity,
  { email, ...terms }: MailInvitationBody,
): Promise<Invitation> {
  requireLevel(caller, ADMINISTRATOR);
  requireMail(ctx);
  checkEmail(email);
  return makeInvitation(ctx, caller, terms, async (ctx, { id }) => {
    await audit(ctx, caller, "invitation_mail", `user:${caller.userId}`, { invitation_id: id });
    await enqueueMail(ctx, { kind: "invitation", to: { address: email }, parameters: { invitation_id: id } });
  });
}

/** What the mail of an invitation needs, or why it is not sent. */
export type MailedInvitation =
  | { code: string; by: string; expiresAt: number; language: string | null }
  | { dropped: string };

/** Returns an invitation that is to be mailed, if it can be used and its maker is still an administrator. */
export async function invitationToMail(ctx: AppContext, id: number): Promise<MailedInvitation> {
  const found = await openInvitation(ctx, id);
  if (found === null) return { dropped: "the invitation has ended" };
  const maker = await findUserById(ctx.db, found.user_id);
  if (maker === null || isSuspended(ctx, maker) || (maker.admin_level ?? 0) < ADMINISTRATOR)
    return { dropped: "its maker is no administrator any more" };
  return { code: found.code, by: found.username, expiresAt: found.expires_at, language: maker.language };
}
