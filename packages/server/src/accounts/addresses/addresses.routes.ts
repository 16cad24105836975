import { ConfirmAddressBody, ConfirmAddressResponse, ConfirmationMailResponse } from "@parley/protocol/mail";
import { type Route, route } from "../../http/route.ts";
import { askAgain, confirmAddress } from "./confirm-address.ts";

const tag = "Accounts";

/** Routes that confirm an address (protocol §17). */
export const addressRoutes: readonly Route[] = [
  route({
    name: "confirmAddress",
    method: "POST",
    path: "/api/auth/confirm-address",
    summary: "Confirm the address of an account with the link of a mail, once",
    tag,
    auth: "open",
    documentedActs: "use confirmation link",
    rates: [{ policy: "confirmAddress", by: "address" }],
    body: ConfirmAddressBody,
    invalid: { token: ["invalid_request", "confirm_link_expired"] },
    answers: { 200: ConfirmAddressResponse },
    errors: ["confirm_link_expired", "address_in_use"],
    async handle({ ctx, body }) {
      return { message: "The address is confirmed.", ...(await confirmAddress(ctx, body.token)) };
    },
  }),
  route({
    name: "askForConfirmation",
    method: "POST",
    path: "/api/auth/confirmation-mail",
    summary: "Ask for another mail that confirms the caller's address",
    tag,
    auth: "session",
    documentedActs: "own address",
    rates: [{ policy: "confirmationMail", by: "identity" }],
    answers: { 200: ConfirmationMailResponse },
    errors: ["mail_off", "no_address", "address_confirmed"],
    async handle({ ctx, caller }) {
      await askAgain(ctx, caller);
      return { message: "A mail is on its way. An address gets at most three such mails a day." };
    },
  }),
];
