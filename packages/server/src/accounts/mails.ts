import { sendsMail } from "../config/mail.ts";
import type { AppContext } from "../context.ts";
import type { MailKind } from "../db/tables/mails.ts";
import { fail } from "../errors.ts";
import { port } from "../hook.ts";

/**
 * Where a mail goes. A user alone: the address that they have confirmed, as it is when the mail is sent. With an address:
 * there, and `userId` is the user whom it is about, whose erasure removes it. Neither: the kind finds out.
 */
export type MailTo = { readonly userId?: number; readonly address?: string };

/** A mail that is asked for. */
export interface NewMail {
  kind: MailKind;
  to: MailTo;
  /** What the text is made from when it is sent. Neither a token nor text of others: only ids, codes and times. */
  parameters?: Readonly<Record<string, string | number | boolean | null>>;
  /** When it may be sent, epoch milliseconds; now if absent. */
  dueAt?: number;
}

/** Keeps mails until they are sent. The slice of mail is above all slices that have some. */
export interface MailSink {
  add(ctx: AppContext, mail: NewMail): Promise<void>;
  /** True if an address was refused so often that it gets nothing but what confirms it. */
  isStopped(ctx: AppContext, address: string): Promise<boolean>;
  /** Lets an address get mail again after it was refused: its user has shown that it exists. */
  reachable(ctx: AppContext, address: string): Promise<void>;
}

/** Where mails go; absent at the command line, which asks for none. */
export const mailSink = port<MailSink>("mail sink");

/**
 * Adds a mail to the outbox, in the transaction of the act that it reports, so that both commit together. The sender checks
 * again whether it may be sent. Does nothing on a server that sends no mail.
 */
export async function enqueueMail(ctx: AppContext, mail: NewMail): Promise<void> {
  if (sendsMail(ctx.config)) await mailSink.find(ctx)?.add(ctx, mail);
}

/** @throws mail_off */
export function requireMail({ config }: Pick<AppContext, "config">): void {
  if (!sendsMail(config)) throw fail("mail_off");
}
