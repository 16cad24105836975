import { MailHealthResponse } from "@parley/protocol/own-mail";
import { type Route, route } from "../../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../../http/site-levels.ts";
import { mailHealth } from "./mail-health.ts";

export const mailHealthRoutes: readonly Route[] = [
  route({
    name: "getMailHealth",
    method: "GET",
    path: "/api/admin/mail",
    summary: "See whether mails get away: how many wait, since when, and how many failed in the last 24 hours",
    tag: "Operation",
    auth: "session",
    documentedActs: "see health",
    answers: { 200: MailHealthResponse },
    errors: ["forbidden"],
    handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return mailHealth(ctx);
    },
  }),
];
