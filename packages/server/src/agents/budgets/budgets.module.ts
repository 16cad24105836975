import type { Module } from "../../module.ts";
import { budgetRoutes } from "./budgets.routes.ts";

export const budgets: Module = {
  name: "budgets",
  routes: budgetRoutes,
};
