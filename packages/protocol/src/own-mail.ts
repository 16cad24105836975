import { type Static, Type } from "typebox";
import { Nullable, response, Timestamp } from "./values.ts";

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

/** Response of GET /api/admin/mail: whether the mails of the server get away. */
export const MailHealthResponse = response({
  waiting: Type.Integer({ minimum: 0, description: "Mails that wait for the mail server." }),
  oldest_due_at: Nullable(
    Type.String({ ...Timestamp, description: "Since when the mail is due that has been due longest; null: none is." }),
  ),
  last_problem: Nullable(
    Type.String({ description: "Why its last try failed; null: it was not tried, or none waits." }),
  ),
  failed: Type.Integer({
    minimum: 0,
    description: "Mails that were refused or that no server took in time, in the last 24 hours.",
  }),
});
export type MailHealthResponse = Static<typeof MailHealthResponse>;
