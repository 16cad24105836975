import { PayoutParams, PayoutsQuery, PayoutsResponse, RetryPayoutResponse } from "@parley/protocol/payouts";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { listPayouts, retryPayout } from "./payouts.service.ts";

const tag = "Administration";

/** Routes with which administrators handle payouts on chains (protocol §6). */
export const payoutRoutes: readonly Route[] = [
  route({
    name: "listPayouts",
    method: "GET",
    path: "/api/admin/payouts",
    summary: "List the payouts on chains: owed, on their way, paid and failed",
    tag,
    auth: "session",
    documentedActs: "handle payouts",
    query: PayoutsQuery,
    answers: { 200: PayoutsResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return listPayouts(ctx, query);
    },
  }),
  route({
    name: "retryPayout",
    method: "POST",
    path: "/api/admin/payouts/:payout_id/retry",
    summary: "Retry a failed payout",
    tag,
    auth: "session",
    documentedActs: "handle payouts",
    params: PayoutParams,
    answers: { 200: RetryPayoutResponse },
    errors: ["invalid_id", "forbidden", "payout_not_found", "payout_not_failed"],
    async handle({ ctx, caller, params }) {
      requireLevel(caller, ADMINISTRATOR);
      return { message: "The payout is retried.", payout: await retryPayout(ctx, caller, params.payout_id) };
    },
  }),
];
