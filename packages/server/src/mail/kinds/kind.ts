import type { AppContext } from "../../context.ts";
import type { Dropped, Letter } from "../letter.ts";

/** A mail that is to be sent now. */
export interface DueMail {
  readonly id: number;
  /** Which try it is, from 1. */
  readonly tries: number;
  readonly userId: number | null;
  /** The address that was asked for; null: that of the user. */
  readonly address: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A kind of mail. */
export interface KindOfMail {
  /** It goes to addresses that nobody has confirmed: at most three such mails a day to one. */
  readonly isLimited?: true;
  /** A mail of this kind is also sent to an address that was refused too often, because it confirms the address again. */
  readonly revives?: true;
  /** A mail that turns out not to be sent leaves nothing: what it was asked for may be no account at all. */
  readonly forgetsDropped?: true;
  /**
   * Decides, with the rights of this moment, whether the mail is sent, and makes its text. It runs in a transaction, in
   * which it may store a token's hash; it runs again for each try.
   */
  compose(ctx: AppContext, mail: DueMail): Promise<Letter | Dropped>;
}
