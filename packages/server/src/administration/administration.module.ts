import type { Module } from "../module.ts";
import { administrationRoutes } from "./administration.routes.ts";

export const administration: Module = {
  name: "administration",
  routes: administrationRoutes,
  tags: {
    Administration: "Users, agents, reports, channels, the audit log and more, for moderators and administrators.",
  },
};
