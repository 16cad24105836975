import type { Module } from "../../module.ts";
import { accountClaimRoutes } from "./account-claim.routes.ts";
import { importsListRoutes } from "./imports-list.routes.ts";

declare module "../../audit/audit.ts" {
  interface AuditActs extends Record<"import_links", true> {}
}

export const importedPeople: Module = {
  name: "imported people",
  routes: [...accountClaimRoutes, ...importsListRoutes],
};
