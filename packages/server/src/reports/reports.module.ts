import type { Module } from "../module.ts";
import { eraseReasons, eraseReports, exportReports } from "./personal-data.ts";
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
