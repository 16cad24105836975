import { duty } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { Module } from "../../module.ts";
import { onControl } from "../../realtime/control/control.ts";
import { announceAgent, announceSilences, noteCleared, tellOwner } from "./announce.ts";
import { onAwayChange } from "./away.ts";
import { silenceRoutes } from "./silences.routes.ts";

/** How many absences are announced to owners at once. The limit bounds the work after a network was down. */
const TOLD_MAX = 100;

/** Returns whether this node announces the changes that all nodes receive. */
const isAnnouncing = perServer((ctx) => duty(ctx, "announce silent agents"));

export const silence: Module = {
  name: "silent agents",
  routes: silenceRoutes,
  register(ctx) {
    onControl(ctx, "agent_changed", (agentId) => {
      if (isAnnouncing(ctx)()) logged(ctx, () => announceAgent(ctx, agentId));
    });
    onControl(ctx, "guard_cleared", ({ channelId }) => {
      if (isAnnouncing(ctx)()) noteCleared(ctx, channelId);
    });
    onAwayChange(ctx, (ctx, { gone, channels }) => {
      announceSilences(ctx, channels);
      logged(ctx, async () => {
        for (const agentId of gone.slice(0, TOLD_MAX)) await tellOwner(ctx, agentId, "agent_away");
      });
    });
  },
};

function logged(ctx: AppContext, act: () => Promise<void>): void {
  act().catch((err: unknown) => ctx.log.warn({ err }, "announcing silent agents failed"));
}
