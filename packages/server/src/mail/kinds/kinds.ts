import type { AppContext } from "../../context.ts";
import type { MailKind } from "../../db/tables/mails.ts";
import type { Dropped, Letter } from "../letter.ts";

/** A mail that is to be sent now. */
export interface DueMail {
  readonly id: number;
  readonly userId: number | null;
  /** The address that was asked for; null: that of the user. */
  readonly address: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A kind of mail. */
export interface KindOfMail {
  /**
   * Decides, with the rights of this moment, whether the mail is sent, and makes its text. It runs in a transaction, in which it may store a token's
   * hash; it runs again for each try.
   */
  compose(ctx: AppContext, mail: DueMail): Promise<Letter | Dropped>;
}

const notYet: KindOfMail = { compose: async () => ({ dropped: "this version does not send it" }) };

/** How each kind of mail is made. A kind is a file in this folder. */
export const KINDS: Readonly<Record<MailKind, KindOfMail>> = {
  confirm_address: notYet,
  reset_password: notYet,
  invitation: notYet,
  security_notice: notYet,
  digest: notYet,
};
