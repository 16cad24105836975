import { AgentParams } from "@parley/protocol/claims";
import { AgentTelegramResponse } from "@parley/protocol/inbox";
import { Type } from "typebox";
import { type Route, route } from "../http/route.ts";
import { answer, telegramDoor } from "./door.ts";
import { telegramOf } from "./telegram-facts.ts";
import { telegramRoutesOf } from "./telegram-routes.ts";

/** The facts that an agent's owner needs to bring a bot (protocol §15.1). */
export const ownerRoutes: readonly Route[] = [
  route({
    name: "getAgentTelegram",
    method: "GET",
    path: "/api/agents/:agent_id/telegram",
    summary: "See the bots of an agent: the numbers in their tokens, and the root of the addresses.",
    tag: "Agents",
    auth: "session",
    documentedActs: "see bots",
    params: AgentParams,
    answers: { 200: AgentTelegramResponse },
    errors: ["agent_not_found", "forbidden"],
    handle: ({ ctx, caller, params, request }) => telegramOf(ctx, caller, params.agent_id, request),
  }),
];

/** The addresses of the Bot API (protocol §15.1). */
export function telegramRoutes(): readonly Route[] {
  const at = (method: "GET" | "POST"): Route =>
    route({
      name: method === "GET" ? "getTelegram" : "callTelegram",
      method,
      path: "/telegram/*",
      summary: "Call a method of the Telegram Bot API.",
      tag: "Telegram",
      auth: "agent",
      scope: "any",
      documentedActs: ["send as agent", "read as agent", "read own inbox"],
      // The handler reads the body itself, with its own limits.
      bodyBytes: Number.MAX_SAFE_INTEGER,
      answers: { 200: Type.Unknown() },
      errors: [],
      door: telegramDoor,
      handle: ({ ctx, caller, address, requestId, request }) =>
        answer({ ctx, caller, address, requestId, request, routes: telegramRoutesOf(ctx) }),
    });
  return [at("GET"), at("POST")];
}
