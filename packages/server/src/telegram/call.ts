import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import type { InnerInput, OuterCall } from "../http/inner-route.ts";
import type { Bot } from "./bots.ts";
import type { Fields } from "./fields.ts";
import type { TelegramRoutes } from "./telegram-routes.ts";

/** A call of a method of the Bot API. */
export interface TelegramCall extends OuterCall {
  readonly ctx: AppContext;
  readonly caller: AgentIdentity;
  readonly bot: Bot;
  readonly fields: Fields;
  readonly routes: TelegramRoutes;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A method of the Bot API. Returns its `result`. Throws `TelegramError`, or the error of the route that it calls. */
export type Method = (call: TelegramCall) => Promise<unknown>;

/** Calls a route of REST as the agent. Returns its body, or throws its error. */
export function rest(call: TelegramCall, route: string, input: InnerInput): Promise<Record<string, unknown>> {
  return call.routes.find(route).call(call, input, call.signal);
}
