import type { Module } from "../module.ts";
import { administrationRoutes } from "./administration.routes.ts";
import { siteRoutes } from "./site.routes.ts";

export const administration: Module = {
  name: "administration",
  routes: [...administrationRoutes, ...siteRoutes],
  tags: {
    Administration: "Users, agents, reports, channels, the audit log and more, for moderators and administrators.",
  },
};
