import type { Module } from "../module.ts";
import { startErasing } from "./erasing.ts";
import { partsOf } from "./export.ts";
import { privacyRoutes } from "./privacy.routes.ts";
import { erasingSteps, stepsOf } from "./steps.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`user_${"delete" | "erased"}`, true> {}
}

export const privacy: Module = {
  name: "privacy",
  routes: (all) => privacyRoutes(partsOf(all)),
  guide: [
    {
      name: "privacy",
      part: "more",
      about: "copies of data, and deletion of accounts",
      text: () => import("../../../../docs/guide/privacy.md", { with: { type: "text" } }),
    },
  ],
  register: (ctx, all) => erasingSteps(ctx, stepsOf(all)),
  start: startErasing,
};
