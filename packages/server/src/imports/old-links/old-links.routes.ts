import { OldLinkQuery, OldLinkResponse } from "@parley/protocol/imports";
import { Type } from "typebox";
import type { AppContext } from "../../context.ts";
import type { Identity } from "../../http/identity.ts";
import { type Route, route } from "../../http/route.ts";
import { oldAddress, oldPlace } from "./old-links.service.ts";

const Redirected = Type.String({ description: "Nothing: `Location` says where the link leads now." });
const redirects = {
  method: "GET",
  tag: "Web page",
  auth: "visitor",
  documentedActs: "follow old links",
  answers: { 302: Redirected },
  mediaType: "text/plain",
  errors: [],
} as const;

async function redirect(ctx: AppContext, caller: Identity, url: string): Promise<Response> {
  const headers = { location: await oldAddress(ctx, caller, url), "cache-control": "no-store" };
  return new Response(null, { status: 302, headers });
}

/** Links of the chat from which a team came (protocol §14.10). */
export const oldLinkRoutes: readonly Route[] = [
  route({
    name: "findOldLink",
    method: "GET",
    path: "/api/old-link",
    summary: "Where a link of the chat from which the team came leads now",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "find old links",
    query: OldLinkQuery,
    answers: { 200: OldLinkResponse },
    errors: ["message_not_found"],
    handle: async ({ ctx, caller, query }) => ({ ...(await oldPlace(ctx, caller, query.url)) }),
  }),
  route({
    ...redirects,
    name: "followOldLink",
    path: "/old",
    summary: "Leads to where a link of the former chat leads now, or to the start page.",
    query: OldLinkQuery,
    handle: ({ ctx, caller, query }) => redirect(ctx, caller, query.url),
  }),
  route({
    ...redirects,
    name: "followSlackLink",
    path: "/archives/:channel/:message",
    summary: "The same for a link of Slack to a message, under the name of this server.",
    params: Type.Object({ channel: Type.String(), message: Type.String() }),
    handle: ({ ctx, caller, params: { channel, message } }) => redirect(ctx, caller, slackLink(channel, message)),
  }),
  route({
    ...redirects,
    name: "followSlackChannelLink",
    path: "/archives/:channel",
    summary: "The same for a link of Slack to a channel.",
    params: Type.Object({ channel: Type.String() }),
    handle: ({ ctx, caller, params: { channel } }) => redirect(ctx, caller, slackLink(channel)),
  }),
];

const slackLink = (...ids: readonly string[]): string =>
  `https://slack.invalid/archives/${ids.map(encodeURIComponent).join("/")}`;
