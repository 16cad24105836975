import type { Module } from "../../module.ts";
import { stopRoutes } from "./stops.routes.ts";

declare module "../../audit/audit.ts" {
  interface AuditActs extends Record<"agent_stop", true> {} // by somebody who moderates by their level
}

export const agentStops: Module = { name: "agent stops", routes: stopRoutes };
