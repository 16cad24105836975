import type { Module } from "../module.ts";
import { followOpenings } from "./open/follow-openings.ts";
import { eraseImportedPerson } from "./personal-data.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"import_run" | "import_open" | "import_undo", true> {}
}

export const imports: Module = {
  name: "imports",
  guide: [
    {
      name: "import-slack",
      part: "more",
      about: "moving a team in from Slack",
      text: () => import("../../../../docs/guide/import-slack.md", { with: { type: "text" } }),
    },
  ],
  erase: { imports: eraseImportedPerson },
  start: followOpenings,
};
