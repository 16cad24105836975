import { Type } from "typebox";
import { type Route, route } from "../http/route.ts";
import { answer, telegramDoor } from "./door.ts";
import { telegramRoutesOf } from "./telegram-routes.ts";

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
