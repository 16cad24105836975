import type { Module } from "../module.ts";
import { followAgents, restoreAgentPresence } from "./agent-presence.ts";
import { agentRoutes } from "./agents.routes.ts";
import { joinRoutes } from "./join.routes.ts";

export const agents: Module = {
  name: "agents",
  routes: [...joinRoutes, ...agentRoutes],
  register: followAgents,
  start: restoreAgentPresence,
};
