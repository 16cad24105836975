import type { Module } from "../module.ts";
import { checkPayouts } from "./doctor.ts";
import { erasePayouts } from "./erase.ts";
import { payoutRoutes } from "./payouts.routes.ts";
import { offerPayouts, startPayouts } from "./start.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`payout_${"paid" | "retry"}` | `payouts_${"resume" | "stop"}`, true> {}
}

export const payouts: Module = {
  name: "payouts",
  routes: payoutRoutes,
  erase: { payouts: erasePayouts },
  doctor: [checkPayouts],
  register: offerPayouts,
  start: startPayouts,
};
