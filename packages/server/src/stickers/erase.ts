import type { ErasingStep } from "../accounts/erased.ts";
import { deleteAllStickers, stickerIdsAfter } from "./erase.store.ts";
import { removeUnused } from "./stickers.store.ts";

const STICKERS = 50;

/** Nobody can send his stickers any more. */
export const eraseStickers: ErasingStep = async (ctx, { userId }) => {
  await deleteAllStickers(ctx.db, userId, ctx.clock.now());
  return null;
};

/**
 * Their bytes go, but for those that a message shows: that picture is part of what was said, as its text is, and stays without his name
 * (protocol §4: messages sent before keep the picture). After `eraseStickers`.
 */
export const eraseStickerFiles: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const ids = await stickerIdsAfter(ctx.db, userId, after, STICKERS);
  if (ids.length > 0) await removeUnused(ctx.db, ids);
  return ids.length < STICKERS ? null : { a: ids.at(-1) ?? 0, b: 0 };
};
