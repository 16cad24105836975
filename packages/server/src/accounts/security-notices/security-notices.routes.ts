import {
  DismissNoticesBody,
  DismissNoticesResponse,
  SecurityNoticesQuery,
  SecurityNoticesResponse,
} from "@parley/protocol/accounts";
import { type Route, route } from "../../http/route.ts";
import { dismissNotices, ownNotices } from "./security-notices.ts";

const tag = "Accounts";

/** Routes of the caller's security notices (protocol §2). */
export const securityNoticeRoutes: readonly Route[] = [
  route({
    name: "listSecurityNotices",
    method: "GET",
    path: "/api/security-notices",
    summary: "List changes to the security of the caller's account, newest first",
    tag,
    auth: "session",
    documentedActs: "own security notices",
    query: SecurityNoticesQuery,
    answers: { 200: SecurityNoticesResponse },
    errors: [],
    handle: ({ ctx, caller, query }) => ownNotices(ctx, caller, query),
  }),
  route({
    name: "dismissSecurityNotices",
    method: "POST",
    path: "/api/security-notices/dismiss",
    summary: "Dismiss the caller's security notices up to one of them",
    tag,
    auth: "session",
    documentedActs: "own security notices",
    body: DismissNoticesBody,
    answers: { 200: DismissNoticesResponse },
    errors: [],
    async handle({ ctx, caller, body }) {
      await dismissNotices(ctx, caller, body);
      return { message: "The notices are dismissed.", up_to_notice_id: body.up_to_notice_id };
    },
  }),
];
