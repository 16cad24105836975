import type { Module } from "../module.ts";
import { startErasing } from "./erasing.ts";
import { partsOf } from "./export.ts";
import { privacyRoutes } from "./privacy.routes.ts";
import { erasingSteps, stepsOf } from "./steps.ts";

export const privacy: Module = {
  name: "privacy",
  routes: (all) => privacyRoutes(partsOf(all)),
  register: (ctx, all) => erasingSteps(ctx, stepsOf(all)),
  start: startErasing,
};
