import type { Module } from "../module.ts";
import { startOpenFilesWatch } from "./open-files.ts";
import { operationRoutes } from "./operations.routes.ts";

export const operations: Module = {
  name: "operations",
  routes: operationRoutes,
  tags: { Operation: "Health, readiness and metrics." },
  start: startOpenFilesWatch,
};
