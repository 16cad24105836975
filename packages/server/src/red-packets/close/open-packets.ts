import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { hasOpenPacket } from "../packets.store.ts";

/**
 * Prevents deleting a channel while value may still move out of its packets (protocol §3). Call it under the lock of
 * the channel's row, which creating a packet takes too. Errors: `open_red_packets`.
 */
export async function refuseOpenPackets(ctx: AppContext, channelId: number): Promise<void> {
  if (await hasOpenPacket(ctx.db, channelId)) throw fail("open_red_packets");
}
