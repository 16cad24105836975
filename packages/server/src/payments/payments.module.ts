import type { Module } from "../module.ts";
import { checkFacilitator, paymentsUnderWay } from "./doctor.ts";
import { erasePayments } from "./erase.ts";
import { exportPayments } from "./export.ts";
import { paymentRoutes } from "./payments.routes.ts";
import { startPayments } from "./start.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`paid_${"add" | "remove"}`, true> {}
}

export const payments: Module = {
  name: "payments",
  isValue: true,
  routes: paymentRoutes,
  tags: { Payments: "Channels and files with a price, paid by HTTP 402." },
  erase: { payments: erasePayments },
  exports: { payments: exportPayments },
  doctor: [checkFacilitator],
  openWork: paymentsUnderWay,
  guide: [
    {
      name: "payments",
      part: "agents",
      about: "channels and files that have a price, by HTTP 402",
      text: () => import("../../../../docs/guide/payments.md", { with: { type: "text" } }),
    },
  ],
  start: startPayments,
};
