import {
  EMOJI_BYTES,
  EMOJI_GIF_BYTES,
  EMOJI_GIF_FRAMES,
  EMOJI_GIF_PIXELS,
  EMOJI_GIF_SIDE,
  EMOJI_SIDE,
  EMOJI_SOURCE_SIDE,
} from "@parley/protocol/emoji-limits";
import { inPictureTurn } from "../accounts/profiles/avatars.ts";
import { etagOf } from "../base/etag.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { cleanGif, walkGif } from "../media/gif.ts";
import { shrinkPicture } from "../media/shrink-picture.ts";

/** The picture of an emoji as it is stored. */
export interface EmojiPicture {
  mime_type: "image/webp" | "image/gif";
  etag: string;
  width: number;
  height: number;
  is_animated: 0 | 1;
  bytes: Uint8Array;
}

const GIF_LIMITS = { side: EMOJI_GIF_SIDE, frames: EMOJI_GIF_FRAMES, pixels: EMOJI_GIF_PIXELS };
const SIDES = { sourceSide: EMOJI_SOURCE_SIDE, side: EMOJI_SIDE };

/**
 * Makes the picture of an emoji from uploaded bytes, whatever their name claims: a GIF without comments and foreign data,
 * and of a PNG, JPEG or WebP a small still WebP without metadata. `userId`: whose turn at the decoder it takes.
 * @throws file_too_large, invalid_emoji_picture, rate_limited, overloaded
 */
export async function emojiPicture(ctx: AppContext, userId: number, input: Uint8Array): Promise<EmojiPicture> {
  if (input.length > EMOJI_BYTES) throw fail("file_too_large", { details: { limit_bytes: EMOJI_BYTES } });
  if (Buffer.from(input.subarray(0, 4)).toString("latin1") === "GIF8") return gif(input);
  const small = await inPictureTurn(ctx, userId, () => shrinkPicture(input, SIDES));
  if (small === null) throw fail("invalid_emoji_picture");
  return { mime_type: "image/webp", etag: etagOf(small.bytes), ...small, is_animated: 0 };
}

function gif(input: Uint8Array): EmojiPicture {
  if (input.length > EMOJI_GIF_BYTES) throw fail("invalid_emoji_picture");
  const bytes = cleanGif(input, GIF_LIMITS);
  if (bytes === null) throw fail("invalid_emoji_picture");
  const { width, height, frames } = walkGif(bytes, GIF_LIMITS);
  return { mime_type: "image/gif", etag: etagOf(bytes), width, height, is_animated: frames > 1 ? 1 : 0, bytes };
}
