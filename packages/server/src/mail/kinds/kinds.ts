import type { MailKind } from "../../db/tables/mails.ts";
import { confirmAddress, invitation, resetPassword } from "./accounts.ts";
import { digest } from "./digest.ts";
import type { KindOfMail } from "./kind.ts";
import { securityNotice } from "./security-notice.ts";

/** How each kind of mail is made. */
export const KINDS: Readonly<Record<MailKind, KindOfMail>> = {
  confirm_address: confirmAddress,
  reset_password: resetPassword,
  invitation,
  security_notice: securityNotice,
  digest,
};
