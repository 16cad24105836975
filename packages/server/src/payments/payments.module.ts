import type { Module } from "../module.ts";
import { erasePayments } from "./erase.ts";
import { exportPayments } from "./export.ts";
import { paymentRoutes } from "./payments.routes.ts";
import { startPayments } from "./start.ts";

export const payments: Module = {
  name: "payments",
  routes: paymentRoutes,
  erase: { payments: erasePayments },
  exports: { payments: exportPayments },
  start: startPayments,
};
