import { UserParams } from "@parley/protocol/accounts";
import { HonorResponse, PointsQuery, PointsResponse } from "@parley/protocol/points";
import { type Route, route } from "../../http/route.ts";
import { readHonor, readPoints } from "../../points/honor.service.ts";
import { visibleUser } from "./profiles.service.ts";

/** Routes of protocol §2. */
export const pointsRoutes: readonly Route[] = [
  route({
    name: "getHonor",
    method: "GET",
    path: "/api/user/:username/honor",
    summary: "Read what a user has earned",
    tag: "Accounts",
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
    tag: "Accounts",
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
