import type { Module } from "../module.ts";
import { payoutRoutes } from "./payouts.routes.ts";
import { offerPayouts, startPayouts } from "./start.ts";

export const payouts: Module = {
  name: "payouts",
  routes: payoutRoutes,
  register: offerPayouts,
  start: startPayouts,
};
