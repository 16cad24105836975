import { GIF_FRAMES, GIF_PIXELS, STICKER_SIDE } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { walkGif } from "../media/gif.ts";

const LIMITS = { side: STICKER_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS };

/**
 * Validates a GIF as a sticker: complete, within the limits, and without data after its end. Errors: `not_a_gif`,
 * `gif_limits`.
 */
export function readSticker(bytes: Uint8Array): { width: number; height: number; frames: number } {
  const { outcome, width, height, frames, end } = walkGif(bytes, LIMITS);
  if (outcome === "too_much") throw fail("gif_limits");
  if (outcome === "broken" || end !== bytes.length) throw fail("not_a_gif");
  return { width, height, frames };
}
