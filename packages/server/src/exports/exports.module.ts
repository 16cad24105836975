import type { Module } from "../module.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"export_run", true> {}
}

export const exports: Module = {
  name: "exports",
  guide: [
    {
      name: "move-out",
      part: "more",
      about: "moving a team out to Mattermost, or to what reads Slack's exports",
      text: () => import("../../../../docs/guide/move-out.md", { with: { type: "text" } }),
    },
  ],
};
