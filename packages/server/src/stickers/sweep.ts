import { type AppContext, perServer } from "../context.ts";
import { repeat } from "../repeat.ts";
import { deletedStickers, removeUnused } from "./stickers.store.ts";

const SWEEP_MS = 10 * 60_000;
/** A message with the sticker may have been on its way when it was deleted. */
const REST_MS = 60 * 60_000;
const SWEEP_MAX = 200;

/** Where the last sweep ended: those that messages still show are looked at again once a round, not each time. */
const place = perServer(() => ({ after: 0 }));

/** Removes deleted stickers that no message shows (any more), at most 200 a time, for as long as the server runs. */
export function startStickerSweep(ctx: AppContext): void {
  repeat(ctx, SWEEP_MS, "the sweep of stickers failed", () => sweepStickers(ctx));
}

export async function sweepStickers(ctx: AppContext): Promise<void> {
  const at = place(ctx);
  const ids = await deletedStickers(ctx.db, at.after, ctx.clock.now() - REST_MS, SWEEP_MAX);
  at.after = ids.length === SWEEP_MAX ? (ids.at(-1) ?? 0) : 0;
  if (ids.length > 0) await removeUnused(ctx.db, ids);
}
