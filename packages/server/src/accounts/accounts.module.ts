import type { Module } from "../module.ts";
import { accountRoutes } from "./accounts.routes.ts";
import { pointsRoutes } from "./profiles/points.routes.ts";
import { startLoginFailures } from "./sessions/login-failures.ts";

export const accounts: Module = {
  name: "accounts",
  routes: [...accountRoutes, ...pointsRoutes],
  start: startLoginFailures,
};
