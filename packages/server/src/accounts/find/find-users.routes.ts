import * as wire from "@parley/protocol/accounts";
import { type Route, route } from "../../http/route.ts";
import { findUsers, presenceOf } from "./find-users.service.ts";

const tag = "Accounts";

/** Routes with which the page finds users and sees who is online (protocol §2). */
export const findUserRoutes: readonly Route[] = [
  route({
    name: "findUsers",
    method: "GET",
    path: "/api/users",
    summary: "Find users by the beginning of their names",
    tag,
    auth: "session",
    documentedActs: "find users",
    rates: [{ policy: "findUsers", by: "identity" }],
    query: wire.FindUsersQuery,
    answers: { 200: wire.FindUsersResponse },
    errors: [],
    handle: async ({ ctx, query }) => ({ users: await findUsers(ctx, query.prefix) }),
  }),
  route({
    name: "getPresence",
    method: "GET",
    path: "/api/presence",
    summary: "See which of these users are online",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    query: wire.PresenceQuery,
    answers: { 200: wire.PresenceResponse },
    errors: ["session_required"],
    handle: async ({ ctx, caller, query }) => ({ online: await presenceOf(ctx, caller, query.usernames) }),
  }),
];
