import type { Module } from "../module.ts";
import { startActivity } from "./activity.ts";
import { erasePoints } from "./erase.ts";
import { startInvitations } from "./invitations.ts";
import { startOnlineTime } from "./online-time.ts";

export const points: Module = {
  name: "points",
  erase: { points: erasePoints },
  start(ctx) {
    startOnlineTime(ctx);
    startActivity(ctx);
    startInvitations(ctx);
  },
};
