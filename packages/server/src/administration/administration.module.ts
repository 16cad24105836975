import type { Module } from "../module.ts";
import { administrationRoutes } from "./administration.routes.ts";

export const administration: Module = {
  name: "administration",
  routes: administrationRoutes,
  tags: {
    Administration: "Users, agents, reports, channels, payouts and the audit log, for moderators and administrators.",
  },
};
