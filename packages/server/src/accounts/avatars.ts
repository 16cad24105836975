import { createHash } from "node:crypto";
import { AVATAR_BYTES, AVATAR_SIDE, GIF_FRAMES, GIF_PIXELS } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { cleanGif } from "../media/gif.ts";

export interface Avatar {
  mimeType: string;
  /** The value of the ETag header, quotes included. */
  etag: string;
  bytes: Uint8Array;
}

/**
 * The picture in a profile update: base64, with or without a data: prefix. Its type is what the content says, whatever the prefix
 * claims. PNG, JPEG and WebP are decoded and encoded again, which leaves out metadata (where a photo was taken) and anything
 * hidden behind the picture, and turns a photo upright; a moving one stands still. GIFs keep their frames, as many as a sticker may have, and lose their comments.
 * @throws invalid_avatar, avatar_too_large
 */
export async function readAvatar(text: string): Promise<Avatar> {
  const input = decode(text);
  const { width, height, format } = await metadataOf(input);
  if (width < 1 || height < 1 || width > AVATAR_SIDE || height > AVATAR_SIDE) throw fail("invalid_avatar");
  if (format === "gif") return avatar("image/gif", gif(input));
  if (format === "png" || format === "jpeg" || format === "webp") return encode(input, format);
  throw fail("invalid_avatar");
}

function decode(text: string): Uint8Array {
  const base64 = text.replace(/^data:[^,]{0,100};base64,/i, "").replace(/\s+/g, "");
  if (base64.length === 0 || base64.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw fail("invalid_avatar");
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > AVATAR_BYTES) throw fail("avatar_too_large");
  return bytes;
}

/** Refuses a canvas that is too large before a pixel of it is allocated. */
const image = (input: Uint8Array): Bun.Image => new Bun.Image(input, { maxPixels: AVATAR_SIDE * AVATAR_SIDE });

async function metadataOf(input: Uint8Array): Promise<Bun.Image.Metadata> {
  try {
    return await image(input).metadata();
  } catch (error) {
    throw fail("invalid_avatar", { cause: error });
  }
}

/** Encodes in the format it came in. Should that be larger than allowed (a palette turned to full colour), in ever plainer WebP. */
async function encode(input: Uint8Array, format: "png" | "jpeg" | "webp"): Promise<Avatar> {
  try {
    const first = image(input);
    if (format === "png") first.png({ compressionLevel: 9 });
    else first[format]({ quality: 90 });
    let bytes = await first.bytes();
    if (bytes.length <= AVATAR_BYTES) return avatar(`image/${format}`, bytes);
    for (const quality of [90, 75, 50, 25]) {
      bytes = await image(input).webp({ quality }).bytes();
      if (bytes.length <= AVATAR_BYTES) break;
    }
    return avatar("image/webp", bytes);
  } catch (error) {
    throw fail("invalid_avatar", { cause: error });
  }
}

function gif(input: Uint8Array): Uint8Array {
  const clean = cleanGif(input, { side: AVATAR_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS });
  if (clean === null) throw fail("invalid_avatar");
  return clean;
}

function avatar(mimeType: string, bytes: Uint8Array): Avatar {
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return { mimeType, etag, bytes };
}
