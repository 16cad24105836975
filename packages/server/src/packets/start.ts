import type { AppContext } from "../context.ts";
import { startClaimEvents } from "./claim-events.ts";
import { startPacketSweep } from "./sweep.ts";

/** Starts the jobs of packets. */
export function startPackets(ctx: AppContext): void {
  startClaimEvents(ctx);
  startPacketSweep(ctx);
}
