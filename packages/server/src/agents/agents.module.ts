import type { Module } from "../module.ts";
import { followAgents, restoreAgentPresence } from "./agent-presence.ts";
import { agentRoutes } from "./agents.routes.ts";
import { eraseOwnership } from "./erase.ts";
import { joinRoutes } from "./join.routes.ts";
import { pinRoutes } from "./pins.routes.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"key_issue", true> {}
}

export const agents: Module = {
  name: "agents",
  routes: [...joinRoutes, ...pinRoutes, ...agentRoutes],
  tags: { Agents: "What programs with an API key call, and what their owners call." },
  erase: { agents: eraseOwnership },
  guide: [
    {
      name: "agents",
      part: "agents",
      about: "start here: keys, the inbox, reading, sending, errors, a whole agent",
      text: () => import("../../../../docs/guide/agents.md", { with: { type: "text" } }),
    },
    {
      name: "sdk",
      source: "packages/sdk/README.md",
      part: "agents",
      about: "the client for TypeScript and JavaScript, @parley/sdk",
      text: () => import("../../../../packages/sdk/README.md", { with: { type: "text" } }),
    },
    {
      name: "typescript",
      part: "agents",
      about: "the same client, from an empty folder to an answered mention",
      text: () => import("../../../../docs/guide/typescript.md", { with: { type: "text" } }),
    },
    {
      name: "python-client",
      source: "clients/python/README.md",
      part: "agents",
      about: "the client for Python, parley-chat",
      text: () => import("../../../../clients/python/README.md", { with: { type: "text" } }),
    },
    {
      name: "python",
      part: "agents",
      about: "from an empty folder to an answered mention in Python",
      text: () => import("../../../../docs/guide/python.md", { with: { type: "text" } }),
    },
    {
      name: "acting-agents",
      part: "agents",
      about: "a recorded run: an answer that grows, an approval by two people, and a budget that ends it",
      text: () => import("../../../../docs/guide/acting-agents.md", { with: { type: "text" } }),
    },
  ],
  register: followAgents,
  start: restoreAgentPresence,
};
