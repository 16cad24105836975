import type { Module } from "../module.ts";
import { oldLinkRoutes } from "./old-links/old-links.routes.ts";
import { followOpenings } from "./open/follow-openings.ts";
import { eraseImportedPerson } from "./personal-data.ts";
import { FORMATS } from "./sources/formats.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"import_run" | "import_open" | "import_undo", true> {}
}

export const imports: Module = {
  name: "imports",
  routes: oldLinkRoutes,
  guide: FORMATS.map(({ guide }) => guide),
  erase: { imports: eraseImportedPerson },
  start: followOpenings,
};
