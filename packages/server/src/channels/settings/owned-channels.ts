import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { lockAccount } from "../../accounts/erase/erase.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { countOwned } from "../channels.store.ts";

/**
 * Lets the caller's transaction give a user one more channel. Locks the user's row: of two transactions that do so at
 * once, the second waits for the first and counts its channel too.
 * @throws channel_limit_reached
 */
export async function assertMayOwnOneMore(ctx: AppContext, userId: number): Promise<void> {
  await lockAccount(ctx, userId);
  if ((await countOwned(ctx.db, userId)) >= CHANNELS_PER_USER) throw fail("channel_limit_reached");
}
