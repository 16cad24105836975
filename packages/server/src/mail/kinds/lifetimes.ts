import type { MailKind } from "../../db/tables/mails.ts";

const HOUR_MS = 3_600_000;

/** For how long a mail is tried, ms: as long as somebody may still want it. */
export const MAIL_LIFETIMES: Readonly<Record<MailKind, number>> = {
  reset_password: HOUR_MS,
  confirm_address: 24 * HOUR_MS,
  invitation: 48 * HOUR_MS,
  security_notice: 72 * HOUR_MS,
  digest: 12 * HOUR_MS,
};
