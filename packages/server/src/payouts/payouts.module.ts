import type { Module } from "../module.ts";
import { erasePayouts } from "./erase.ts";
import { payoutRoutes } from "./payouts.routes.ts";
import { offerPayouts, startPayouts } from "./start.ts";

export const payouts: Module = {
  name: "payouts",
  routes: payoutRoutes,
  erase: { payouts: erasePayouts },
  register: offerPayouts,
  start: startPayouts,
};
