import * as wire from "@parley/protocol/accounts";
import { UserParams } from "@parley/protocol/accounts";
import { HonorResponse, PointsQuery, PointsResponse } from "@parley/protocol/points";
import { ProfilesQuery, ProfilesResponse } from "@parley/protocol/profiles";
import { type Route, route } from "../../http/route.ts";
import { readHonor, readPoints } from "../../points/honor.service.ts";
import { clearShown, shownProfiles } from "../shown/shown.ts";
import { findUsers, presenceOf } from "./find-users.service.ts";
import { visibleUser } from "./profiles.service.ts";

const tag = "Accounts";

/** Routes with which the page finds users and sees who is online (protocol §2). */
export const findUserRoutes: readonly Route[] = [
  route({
    name: "findUsers",
    method: "GET",
    path: "/api/users",
    summary: "Find users by the beginning of their usernames, or of a word of their display names",
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

/** Routes with which a page shows users by the names that they chose (protocol §2). */
export const shownRoutes: readonly Route[] = [
  route({
    name: "listProfiles",
    method: "GET",
    path: "/api/profiles",
    summary: "Read the display names and statuses of these users",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    query: ProfilesQuery,
    answers: { 200: ProfilesResponse },
    errors: ["session_required"],
    handle: async ({ ctx, caller, query }) => ({ profiles: await shownProfiles(ctx, caller, query.usernames) }),
  }),
  route({
    name: "clearProfile",
    method: "DELETE",
    path: "/api/user/:username/display-name",
    summary: "Remove a user's display name and status",
    tag,
    auth: "session",
    documentedActs: "clear profile",
    rates: [{ policy: "profileChange", by: "identity" }],
    params: UserParams,
    answers: { 200: wire.MessageResponse },
    errors: ["user_not_found", "forbidden"],
    async handle({ ctx, caller, params }) {
      await clearShown(ctx, caller, params.username);
      return { message: "The display name and the status are removed." };
    },
  }),
];

/** Routes of protocol §2. */
export const pointsRoutes: readonly Route[] = [
  route({
    name: "getHonor",
    method: "GET",
    path: "/api/user/:username/honor",
    summary: "Read what a user has earned",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    params: UserParams,
    answers: { 200: HonorResponse },
    errors: ["session_required", "user_not_found"],
    handle: async ({ ctx, caller, params }) => readHonor(ctx, await visibleUser(ctx, caller, params.username)),
  }),
  route({
    name: "listPoints",
    method: "GET",
    path: "/api/user/:username/points",
    summary: "Read the changes of a user's points, newest first",
    tag,
    auth: "session",
    documentedActs: "read points",
    params: UserParams,
    query: PointsQuery,
    invalid: { before: "invalid_cursor" },
    answers: { 200: PointsResponse },
    errors: ["invalid_limit", "invalid_cursor", "forbidden", "user_not_found"],
    handle: async ({ ctx, caller, params, query }) =>
      readPoints(ctx, caller, await visibleUser(ctx, caller, params.username), query),
  }),
];
