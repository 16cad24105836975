import { AVATAR_BYTES, AVATAR_SIDE, GIF_FRAMES, GIF_PIXELS } from "@parley/protocol/limits";
import { ConcurrencyLimiter } from "../../base/concurrency-limiter.ts";
import { etagOf } from "../../base/etag.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { cleanGif } from "../../media/gif.ts";
import { reencodePicture } from "../../media/picture-process.ts";
import { inspectPicture } from "../../media/picture-structure.ts";

export interface Avatar {
  mimeType: string;
  /** The value of the ETag header, including its quotes. */
  etag: string;
  bytes: Uint8Array;
}

/**
 * Reads the picture in a profile update: base64, with or without a `data:` prefix. Its type is detected from the
 * content, whatever the prefix claims. PNG, JPEG and WebP are re-encoded, which removes metadata (such as the location
 * of a photo) and anything appended, applies the orientation of photos, and makes an animation a still picture.
 * GIFs keep as many frames as a sticker may have, and lose their comments. `reencode` decides when and where pictures
 * are decoded.
 * @throws invalid_avatar, avatar_too_large, and the errors of `reencode`
 */
export async function readAvatar(text: string, reencode = reencodePicture): Promise<Avatar> {
  const input = decode(text);
  const head = inspectPicture(input);
  if (head === null || head.width < 1 || head.height < 1) throw fail("invalid_avatar");
  if (head.width > AVATAR_SIDE || head.height > AVATAR_SIDE) throw fail("invalid_avatar");
  if (head.format === "gif") return avatar("image/gif", gif(input));
  const { format, bytes } = await reencode(input, head.format);
  return avatar(`image/${format}`, bytes);
}

function decode(text: string): Uint8Array {
  const base64 = text.replace(/^data:[^,]{0,100};base64,/i, "").replace(/\s+/g, "");
  if (base64.length === 0 || base64.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw fail("invalid_avatar");
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > AVATAR_BYTES) throw fail("avatar_too_large");
  return bytes;
}

function gif(input: Uint8Array): Uint8Array {
  const clean = cleanGif(input, { side: AVATAR_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS });
  if (clean === null) throw fail("invalid_avatar");
  return clean;
}

function avatar(mimeType: string, bytes: Uint8Array): Avatar {
  return { mimeType, etag: etagOf(bytes), bytes };
}

/** Maximum queue length; at one second a picture, the last one does not outlast client timeouts. */
const WAITING_MAX = 16;

const turns = perServer(({ metrics }) => ({
  limiter: new ConcurrencyLimiter({
    concurrency: 1,
    queueMax: WAITING_MAX,
    retryAfter: WAITING_MAX,
    onLength: (length) => metrics.pictureQueueIs(length),
  }),
  accounts: new Set<number>(),
}));

/**
 * Runs acts one at a time, with at most one pending per account, so that one account delays others by at most one
 * picture.
 * @throws rate_limited while an earlier picture of the account is pending, overloaded when the queue is full
 */
export async function inPictureTurn<T>(ctx: AppContext, userId: number, act: () => Promise<T>): Promise<T> {
  const { limiter, accounts } = turns(ctx);
  if (accounts.has(userId)) {
    throw fail("rate_limited", {
      message: "Your last picture is still being processed. Try again shortly.",
      retryAfter: 1,
    });
  }
  accounts.add(userId);
  try {
    return await slowly(ctx, "picture", () => limiter.run(act));
  } finally {
    accounts.delete(userId);
  }
}
