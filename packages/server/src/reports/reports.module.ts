import type { Module } from "../module.ts";
import { eraseReasons, eraseReports } from "./erase.ts";
import { exportReports } from "./export.ts";
import { reportRoutes } from "./reports.routes.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"report_close", true> {}
}

export const reports: Module = {
  name: "reports",
  routes: reportRoutes,
  erase: { reasons: eraseReasons, reports: eraseReports },
  exports: { reports: exportReports },
};
