import { Type } from "typebox";
import { fail } from "../../errors.ts";
import { type Route, route } from "../../http/route.ts";
import { unsubscribePage } from "./page.ts";
import { unsubscribe } from "./unsubscribe.ts";

const PAGE = Type.String({ description: "A page." });

const shared = {
  path: "/mail/unsubscribe/:token",
  tag: "Mail",
  auth: "open",
  params: Type.Object({ token: Type.String({ description: "The token of the mail." }) }),
  mediaType: "text/html",
} as const;

/** The address in the header `List-Unsubscribe` of a digest (RFC 8058, protocol §13.5). */
export const unsubscribeRoutes: readonly Route[] = [
  route({
    ...shared,
    name: "getUnsubscribePage",
    method: "GET",
    documentedActs: "see the service",
    summary:
      "A page with a button that ends the digests of a user. It changes nothing, because programs follow links in mails.",
    answers: { 200: PAGE },
    errors: [],
    handle: ({ ctx, request }) => unsubscribePage(ctx, request, "ask"),
  }),
  route({
    ...shared,
    name: "unsubscribeByMail",
    method: "POST",
    documentedActs: "end digests by token",
    summary: "End the digests of the user whose mails have this token. The body is not read.",
    answers: { 200: PAGE },
    otherForms: { 404: { "text/html": PAGE } },
    errors: ["unsubscribe_unknown"],
    rates: [{ policy: "unsubscribe", by: "address" }],
    async handle({ ctx, params, request }) {
      if (await unsubscribe(ctx, params.token)) return unsubscribePage(ctx, request, "done");
      // A person sees a page, and a program a code.
      if (request.headers.get("accept")?.includes("text/html") !== true) throw fail("unsubscribe_unknown");
      return unsubscribePage(ctx, request, "unknown");
    },
  }),
];
