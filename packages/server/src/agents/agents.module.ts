import type { Module } from "../module.ts";
import { followAgents, restoreAgentPresence } from "./agent-presence.ts";
import { agentRoutes } from "./agents.routes.ts";
import { eraseOwnership } from "./erase.ts";
import { joinRoutes } from "./join.routes.ts";

export const agents: Module = {
  name: "agents",
  routes: [...joinRoutes, ...agentRoutes],
  erase: { agents: eraseOwnership },
  register: followAgents,
  start: restoreAgentPresence,
};
