import { AVATAR_BYTES, AVATAR_SIDE, GIF_FRAMES, GIF_PIXELS } from "@parley/protocol/limits";
import { etagOf } from "../../base/etag.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { cleanGif } from "../../media/gif.ts";
import { shrinkPicture } from "../../media/shrink-picture.ts";
import { findAvatarEtag, putAvatar } from "../accounts.store.ts";
import type { Avatar } from "../profiles/avatars.ts";

const SIDES = { sourceSide: 4_096, side: AVATAR_SIDE / 2 };
const GIF_LIMITS = { side: AVATAR_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS };

/**
 * Gives a hidden account its picture from another chat: a small WebP without metadata, or a GIF as users may have. An account
 * that has a picture keeps it. Returns false if the bytes are no picture of a kind that users may have. Throws `overloaded`
 * if it cannot be decoded now.
 */
export async function storeHiddenAvatar(ctx: AppContext, userId: number, input: Uint8Array): Promise<boolean> {
  const avatar = await avatarOf(input);
  if (avatar === null) return false;
  const { mimeType: mime_type, etag, bytes } = avatar;
  await transact(ctx, async (ctx) => {
    if ((await findAvatarEtag(ctx.db, userId)) !== null) return;
    await putAvatar(ctx.db, { user_id: userId, mime_type, etag, bytes });
  });
  return true;
}

async function avatarOf(input: Uint8Array): Promise<Avatar | null> {
  const isGif = Buffer.from(input.subarray(0, 4)).toString("latin1") === "GIF8";
  const bytes = isGif ? cleanGif(input, GIF_LIMITS) : ((await shrinkPicture(input, SIDES))?.bytes ?? null);
  if (bytes === null || bytes.length > AVATAR_BYTES) return null;
  return { mimeType: isGif ? "image/gif" : "image/webp", etag: etagOf(bytes), bytes };
}
