import { type Static, Type } from "typebox";
import { Nullable, response } from "./values.ts";

/** Whether mails reach the user (protocol §17). */
export const MailState = Type.Enum(["none", "unconfirmed", "confirmed", "refused"], {
  description:
    "`none`: the account has no address. `unconfirmed`: nobody has shown that it is the user's. `confirmed`: mails go there. `refused`: its mail server refused several mails for good, so nothing is sent there until it is confirmed anew.",
});
export type MailState = Static<typeof MailState>;

const own = { address: Nullable(Type.String()), state: MailState };

/** The user's address, and whether mails reach it. */
export const OwnMail = Type.Object(own);
export type OwnMail = Static<typeof OwnMail>;

/** Response of GET /api/mail. */
export const OwnMailResponse = response(own);
export type OwnMailResponse = Static<typeof OwnMailResponse>;
