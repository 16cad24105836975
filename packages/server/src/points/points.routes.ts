import { UserParams } from "@parley/protocol/accounts";
import { HonorAnswer, PointsAnswer, PointsQuery } from "@parley/protocol/points";
import { type Route, route } from "../http/route.ts";
import { readHonor, readPoints } from "./honor.service.ts";

/** Routes of protocol §2. */
export const pointsRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/user/:username/honor",
    summary: "What a user has earned",
    tag: "Accounts",
    auth: "guest",
    rights: "read profiles",
    params: UserParams,
    answers: { 200: HonorAnswer },
    errors: ["session_required", "user_not_found"],
    handle: ({ ctx, caller, params }) => readHonor(ctx, caller, params.username),
  }),
  route({
    method: "GET",
    path: "/api/user/:username/points",
    summary: "Where a user's points came from and went to, the newest change first",
    tag: "Accounts",
    auth: "session",
    rights: "read points",
    params: UserParams,
    query: PointsQuery,
    invalid: { before: "invalid_cursor" },
    answers: { 200: PointsAnswer },
    errors: ["invalid_limit", "invalid_cursor", "forbidden", "user_not_found"],
    handle: ({ ctx, caller, params, query }) => readPoints(ctx, caller, params.username, query),
  }),
];
