import * as wire from "@parley/protocol/accounts";
import { USERS_FOUND_MAX } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type Route, route } from "../../http/route.ts";
import { type FoundUser, usersByNames, usersByPrefix } from "./find-users.store.ts";

const tag = "Accounts";

/** Routes with which the page finds users and sees who is online (protocol §2). */
export const findUserRoutes: readonly Route[] = [
  route({
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
    async handle({ ctx, query }) {
      const found = await usersByPrefix(ctx.db, query.prefix, USERS_FOUND_MAX);
      const online = await onlineOf(ctx, found);
      return { users: found.map(({ id, username }) => ({ username, is_online: online.has(id) })) };
    },
  }),
  route({
    method: "GET",
    path: "/api/presence",
    summary: "See which of these users are online",
    tag,
    auth: "guest",
    documentedActs: "read profiles",
    query: wire.PresenceQuery,
    answers: { 200: wire.PresenceResponse },
    errors: ["session_required"],
    async handle({ ctx, caller, query }) {
      if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
      const found = await usersByNames(ctx.db, [...new Set(query.usernames.split(","))]);
      const online = await onlineOf(ctx, found);
      return { online: found.filter(({ id }) => online.has(id)).map(({ username }) => username) };
    },
  }),
];

/** Returns the ids of those who are online on any node. */
async function onlineOf(ctx: AppContext, users: readonly FoundUser[]): Promise<Set<number>> {
  const states = await Promise.all(
    users.map(async ({ id }) => ({ id, isOnline: await ctx.presence.isUserOnline(id) })),
  );
  return new Set(states.filter(({ isOnline }) => isOnline).map(({ id }) => id));
}
