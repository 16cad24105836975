import { ANIMATION_FRAMES, ANIMATION_PIXELS } from "@parley/protocol/file-limits";
import { type GifWalk, isMetadata, walkGif } from "../gif.ts";
import { cleanJpeg } from "./clean-jpeg.ts";
import { cleanPng } from "./clean-png.ts";
import { cleanWebp } from "./clean-webp.ts";
import type { CleanPicture } from "./picture-parts.ts";

/**
 * Removes everything but the picture from a PNG, JPEG, GIF or WebP: metadata such as the place of a photo, and data
 * after its end. Pixels are not decoded, so quality and animation stay. Returns null for anything else, and for a file
 * whose structure is broken; `too_much` for an animation above the limits.
 */
export function cleanPicture(input: Uint8Array): CleanPicture | "too_much" | null {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const found = cleaned(bytes);
  if (found === null || found === "too_much") return found;
  return found.frames > ANIMATION_FRAMES || found.pixels > ANIMATION_PIXELS ? "too_much" : found;
}

function cleaned(bytes: Buffer): CleanPicture | "too_much" | null {
  const start = bytes.toString("latin1", 0, 4);
  if (start.startsWith("GIF8")) return cleanLargeGif(bytes);
  if (start === "RIFF") return cleanWebp(bytes);
  if (start.endsWith("PNG")) return cleanPng(bytes);
  const jpeg = cleanJpeg(bytes);
  if (jpeg === null) return null;
  return { format: "jpeg", isAnimated: false, frames: 1, pixels: jpeg.width * jpeg.height, ...jpeg };
}

/** A GIF fills its sub-blocks of 255 bytes; a walk may visit one for every 64 bytes of the file, and this many more. */
const GIF_STEPS = 65_536;

function cleanLargeGif(bytes: Buffer): CleanPicture | "too_much" | null {
  const parts: Uint8Array[] = [];
  const limits = {
    side: 65_535,
    frames: ANIMATION_FRAMES,
    pixels: ANIMATION_PIXELS,
    steps: GIF_STEPS + Math.ceil(bytes.length / 64),
  };
  const walk: GifWalk = walkGif(bytes, limits, (start, end) => {
    if (!isMetadata(bytes, start)) parts.push(bytes.subarray(start, end));
  });
  if (walk.outcome !== "whole") return walk.outcome === "broken" ? null : "too_much";
  const { width, height, frames, pixels } = walk;
  return { format: "gif", width, height, parts, orientation: 1, isAnimated: frames > 1, frames, pixels };
}
