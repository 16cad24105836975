import { BudgetsResponse, PutBudgetsBody, UsageQuery, UsageResponse } from "@parley/protocol/budgets";
import { AgentParams } from "@parley/protocol/claims";
import { usageOf } from "../../budgets/usage.ts";
import { type Route, route } from "../../http/route.ts";
import { readBudgets, standingOf, writeBudgets } from "./budgets.service.ts";

const tag = "Agents";

/** Routes with which owners and staff limit what agents spend (protocol §12.8). */
export const budgetRoutes: readonly Route[] = [
  route({
    name: "getBudgets",
    method: "GET",
    path: "/api/agents/:agent_id/budgets",
    summary: "See the limits of an agent's spending, what it has used today and what is left.",
    tag,
    auth: "session",
    documentedActs: "see budgets",
    params: AgentParams,
    answers: { 200: BudgetsResponse },
    errors: ["agent_not_found", "forbidden"],
    handle: ({ ctx, caller, params }) => readBudgets(ctx, caller, params.agent_id),
  }),
  route({
    name: "setBudgets",
    method: "PUT",
    path: "/api/agents/:agent_id/budgets",
    summary: "Limit what an agent may send, spend and pay in a day. The server's staff sets ceilings.",
    tag,
    auth: "session",
    documentedActs: ["set budgets", "set ceilings"],
    params: AgentParams,
    body: PutBudgetsBody,
    answers: { 200: BudgetsResponse },
    errors: ["agent_not_found", "forbidden", "no_fields"],
    handle: ({ ctx, caller, params, body }) => writeBudgets(ctx, caller, params.agent_id, body),
  }),
  route({
    name: "getUsage",
    method: "GET",
    path: "/api/agents/:agent_id/usage",
    summary: "See what an agent sent, reported and paid, by day or by channel.",
    tag,
    auth: "session",
    documentedActs: "see budgets",
    params: AgentParams,
    query: UsageQuery,
    answers: { 200: UsageResponse },
    errors: ["agent_not_found", "forbidden"],
    async handle({ ctx, caller, params, query }) {
      await standingOf(ctx, caller, params.agent_id);
      return { agent_id: params.agent_id, reported: true, ...(await usageOf(ctx, params.agent_id, query)) };
    },
  }),
];
