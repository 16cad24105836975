import type { Module } from "../module.ts";
import { onRevoked } from "../payments/recheck.ts";
import { channelRoutes } from "./channels.routes.ts";
import { startNewcomers } from "./members/newcomers.ts";
import { revokePaidMembership } from "./members/removal.ts";

export const channels: Module = {
  name: "channels",
  routes: channelRoutes,
  register(ctx) {
    onRevoked(ctx, revokePaidMembership);
    startNewcomers(ctx);
  },
};
