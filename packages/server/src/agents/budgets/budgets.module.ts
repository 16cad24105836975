import type { Module } from "../../module.ts";
import { budgetRoutes } from "./budgets.routes.ts";

declare module "../../audit/audit.ts" {
  interface AuditActs extends Record<"agent_budgets", true> {}
}

export const budgets: Module = {
  name: "budgets",
  routes: budgetRoutes,
  guide: [
    {
      name: "budgets",
      part: "agents",
      about: "what a key allows, and what an agent may spend in a day",
      text: () => import("../../../../../docs/guide/budgets.md", { with: { type: "text" } }),
    },
  ],
};
