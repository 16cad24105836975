import { loadedChains } from "../chains/start.ts";
import { beforeDeletion } from "../channels/settings/settings.service.ts";
import { spanReaders } from "../event-log/event-spans.ts";
import type { Module } from "../module.ts";
import { claimReader } from "./claim/claim-events.ts";
import { startPacketSweep } from "./close/sweep.ts";
import { checkPackets, openPackets } from "./doctor.ts";
import { erasePackets, refuseOpenPackets } from "./erase.ts";
import { exportClaims, exportPackets } from "./export.ts";
import { packetRoutes } from "./packets.routes.ts";

export const redPackets: Module = {
  name: "red packets",
  isValue: true,
  routes: packetRoutes,
  tags: { "Red packets": "Gifts of points or coins that people in a channel claim." },
  erase: { packets: erasePackets },
  exports: { red_packets: exportPackets, claims: exportClaims },
  doctor: [checkPackets],
  openWork: openPackets,
  guide: [
    {
      name: "red-packets",
      part: "more",
      about: "gifts of points or coins in a channel",
      text: () => import("../../../../docs/guide/red-packets.md", { with: { type: "text" } }),
    },
  ],
  register(ctx) {
    beforeDeletion(ctx, refuseOpenPackets);
    spanReaders(ctx, claimReader);
  },
  async start(ctx) {
    // The sweep looks for funding on them.
    await loadedChains(ctx);
    startPacketSweep(ctx);
  },
};
