import type { AppContext } from "../context.ts";
import { startClaimEvents } from "./claim-events.ts";
import { startPacketSweep } from "./sweep.ts";

/** What packets need while the server runs. */
export function startPackets(ctx: AppContext): void {
  startClaimEvents(ctx);
  startPacketSweep(ctx);
}
