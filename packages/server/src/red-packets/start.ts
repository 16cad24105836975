import type { AppContext } from "../context.ts";
import { startClaimEvents } from "./claim/claim-events.ts";
import { startPacketSweep } from "./close/sweep.ts";

/** Starts the jobs of packets. */
export function startPackets(ctx: AppContext): void {
  startClaimEvents(ctx);
  startPacketSweep(ctx);
}
