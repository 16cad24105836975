import type { Sticker } from "@parley/protocol/models";
import type { AppContext } from "../../context.ts";
import { stickerToSend } from "../../stickers/stickers.service.ts";
import { findByClientKeys } from "../messages.store.ts";

/**
 * Returns the sticker to post. A retry gets the same answer even if the sticker was deleted since. Errors:
 * `sticker_not_found`.
 */
export async function postedSticker(ctx: AppContext, stickerId: number, clientKey: string | null): Promise<Sticker> {
  try {
    return await stickerToSend(ctx, stickerId);
  } catch (error) {
    const [sent] = clientKey === null ? [] : await findByClientKeys(ctx.db, [clientKey]);
    if (sent?.sticker_id !== stickerId || sent.sticker === null) throw error;
    return JSON.parse(sent.sticker) as Sticker;
  }
}
