import { OwnMailResponse } from "@parley/protocol/own-mail";
import { ownMail } from "../accounts/addresses/own-mail.ts";
import { type Route, route } from "../http/route.ts";

export const ownMailRoutes: readonly Route[] = [
  route({
    name: "getOwnMail",
    method: "GET",
    path: "/api/mail",
    summary: "See the caller's address, and whether mails reach it.",
    tag: "Mail",
    auth: "session",
    documentedActs: "own address",
    answers: { 200: OwnMailResponse },
    errors: ["mail_off"],
    handle: ({ ctx, caller }) => ownMail(ctx, caller),
  }),
];
