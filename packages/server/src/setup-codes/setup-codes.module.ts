import type { Module } from "../module.ts";
import { wholeList, withTimes } from "../user-export.ts";
import { eraseSetupCodes, sweepSetupCodes } from "./ends.ts";
import { setupCodeRoutes } from "./setup-codes.routes.ts";
import { codesOfUser } from "./setup-codes.store.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"setup_code_make" | "setup_code_claim", true> {}
}

export const setupCodes: Module = {
  name: "setup codes",
  routes: setupCodeRoutes,
  erase: { setup_codes: eraseSetupCodes },
  exports: {
    setup_codes: wholeList(async (ctx, { userId }) => (await codesOfUser(ctx.db, userId)).map(withTimes)),
  },
  start: sweepSetupCodes,
};
