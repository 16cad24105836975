import type { Module } from "../module.ts";
import { startErasing } from "./erasing.ts";
import { privacyRoutes } from "./privacy.routes.ts";

export const privacy: Module = {
  name: "privacy",
  routes: privacyRoutes,
  start: startErasing,
};
