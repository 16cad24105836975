import { type Static, Type } from "typebox";
import { MadeInvitationResponse, MakeInvitationBody } from "./invitations.ts";
import { HumanText, response } from "./values.ts";

/** The languages of mails. */
export const MAIL_LANGUAGES = ["en", "zh", "es"] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

const Token = Type.String({ description: "The part of the link after `#`." });
const Address = Type.String({ maxLength: 254 });

/** POST /api/auth/confirm-address: the link in a mail confirms the address that the account has. */
export const ConfirmAddressBody = Type.Object({ token: Token });
export type ConfirmAddressBody = Static<typeof ConfirmAddressBody>;
export const ConfirmAddressResponse = response({
  message: HumanText,
  username: Type.String({ description: "The account whose address is confirmed." }),
  email: Type.String(),
});

export type ConfirmAddressResponse = Static<typeof ConfirmAddressResponse>;

/** POST /api/auth/confirmation-mail: another mail with a link. */
export const ConfirmationMailResponse = response({ message: HumanText });
export type ConfirmationMailResponse = Static<typeof ConfirmationMailResponse>;

/** POST /api/auth/forgot: a mail with a link to choose a new password. */
export const ForgotPasswordBody = Type.Object({
  account: Type.String({
    minLength: 1,
    maxLength: 254,
    description: "A username, or an address that its user has confirmed.",
  }),
});
export type ForgotPasswordBody = Static<typeof ForgotPasswordBody>;
export const ForgotPasswordResponse = response({ message: HumanText });
export type ForgotPasswordResponse = Static<typeof ForgotPasswordResponse>;

/** POST /api/invitations/mail: an invitation that goes to an address. */
export const MailInvitationBody = Type.Object({ email: Address, ...MakeInvitationBody.properties });
export type MailInvitationBody = Static<typeof MailInvitationBody>;
export const MailInvitationResponse = MadeInvitationResponse;
export type MailInvitationResponse = Static<typeof MailInvitationResponse>;
