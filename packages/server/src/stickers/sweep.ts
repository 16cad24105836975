import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { deletedStickers, removeUnused } from "./stickers.store.ts";

const SWEEP_MS = 10 * 60_000;
/** A message with the sticker may have been in flight when it was deleted. */
const REST_MS = 60 * 60_000;
const SWEEP_MAX = 200;

/** Where the last sweep ended: stickers that messages still show are checked once per round, not in every sweep. */
const place = perServer(() => ({ after: 0 }));

/** Periodically removes deleted stickers that no message shows, at most 200 at a time, until the server closes. */
export function startStickerSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep stickers", SWEEP_MS, "the sweep of stickers failed", () => sweepStickers(ctx));
}

export async function sweepStickers(ctx: AppContext): Promise<void> {
  const at = place(ctx);
  const ids = await deletedStickers(ctx.db, at.after, ctx.clock.now() - REST_MS, SWEEP_MAX);
  at.after = ids.length === SWEEP_MAX ? (ids.at(-1) ?? 0) : 0;
  if (ids.length > 0) await removeUnused(ctx.db, ids);
}
