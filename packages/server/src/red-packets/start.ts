import { beforeDeletion } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { startClaimEvents } from "./claim/claim-events.ts";
import { startPacketSweep } from "./close/sweep.ts";
import { hasOpenPacket } from "./packets.store.ts";

/** Starts the jobs of packets, and has deletions of channels checked for open ones. */
export function startPackets(ctx: AppContext): void {
  beforeDeletion(ctx, refuseOpenPackets);
  startClaimEvents(ctx);
  startPacketSweep(ctx);
}

/**
 * Prevents deleting a channel while value may still move out of its packets (protocol §3). It runs under the lock
 * of the channel's row, which creating a packet takes too. Errors: `open_red_packets`.
 */
async function refuseOpenPackets(ctx: AppContext, channelId: number): Promise<void> {
  if (await hasOpenPacket(ctx.db, channelId)) throw fail("open_red_packets");
}
