import type { AgentIdentity } from "../http/identity.ts";
import { type InnerInput, InnerRoute, type OuterCall } from "../http/inner-route.ts";
import { type Route, routeNamed } from "../http/route.ts";

/** The routes of REST, by name. Each is prepared when it is first called. */
export class InnerRoutes {
  readonly #all: () => readonly Route[];
  readonly #prepared = new Map<string, InnerRoute>();

  constructor(all: () => readonly Route[]) {
    this.#all = all;
  }

  find(name: string): InnerRoute {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const made = new InnerRoute(routeNamed(this.#all(), name));
    this.#prepared.set(name, made);
    return made;
  }
}

/** A POST to /mcp, as the tools, resources and prompts see it. */
export interface McpCall extends OuterCall {
  readonly caller: AgentIdentity;
  readonly routes: InnerRoutes;
  /** Aborted when the client disconnects or cancels. */
  readonly signal: AbortSignal;
}

/** Calls one of these routes of REST as the agent, for example `listChannels`. Returns its body, or throws its error. */
export type Rest<R extends string = string> = (route: R, input: InnerInput) => Promise<Record<string, unknown>>;

/** Returns how this call reaches the routes of REST. */
export const restOf =
  (call: McpCall): Rest =>
  (route, input) =>
    call.routes.find(route).call(call, input, call.signal);
