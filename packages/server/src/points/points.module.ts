import type { Module } from "../module.ts";
import { startActivity } from "./activity.ts";
import { checkLedger } from "./doctor.ts";
import { erasePoints } from "./erase.ts";
import { startInvitations } from "./invitations.ts";
import { startOnlineTime } from "./online-time.ts";

export const points: Module = {
  name: "points",
  erase: { points: erasePoints },
  doctor: [checkLedger],
  guide: [
    {
      name: "points",
      part: "more",
      about: "points and honor",
      text: () => import("../../../../docs/guide/points.md", { with: { type: "text" } }),
    },
  ],
  start(ctx) {
    startOnlineTime(ctx);
    startActivity(ctx);
    startInvitations(ctx);
  },
};
