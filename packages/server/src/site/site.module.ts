import type { Module } from "../module.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"site_update", true> {}
}

export const site: Module = { name: "site" };
