import { RATES } from "@parley/protocol/limits";
import { LOGO_BYTES, LOGO_SIDE, type SiteSettings, type UpdateSiteBody } from "@parley/protocol/site";
import { inPictureTurn, readAvatar } from "../accounts/profiles/avatars.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { rateLimited } from "../http/rates.ts";
import { reencodePicture } from "../media/picture-process.ts";
import { inspectPicture } from "../media/picture-structure.ts";
import { changeSite, checkSiteChange, type Logo } from "../site/change-site.ts";

/**
 * Changes the settings of the site. The caller checks the level.
 * @throws invalid_logo, logo_too_large, rate_limited, overloaded, and the errors of `changeSite`
 */
export async function updateSite(ctx: AppContext, caller: UserIdentity, body: UpdateSiteBody): Promise<SiteSettings> {
  checkSiteChange(ctx, body);
  const logo = typeof body.logo === "string" ? await readLogo(ctx, caller, body.logo) : body.logo;
  return changeSite(ctx, caller, { ...body, logo });
}

/** Reads a logo with the checks of an avatar, of which it takes the turns and the rate, too. */
async function readLogo(ctx: AppContext, caller: UserIdentity, text: string): Promise<Logo> {
  const upload = await ctx.limiter.take(RATES.uploads, caller.key);
  if (!upload.allowed) throw rateLimited(upload);
  const { mimeType, etag, bytes } = await readAvatar(text, async (input, format) => {
    const head = inspectPicture(input);
    if (head === null || head.width > LOGO_SIDE || head.height > LOGO_SIDE) throw fail("invalid_logo");
    if (input.length > LOGO_BYTES) throw fail("logo_too_large");
    return inPictureTurn(ctx, caller.userId, () => reencodePicture(input, format));
  }).catch((error) => {
    throw asLogoError(error);
  });
  const head = inspectPicture(bytes);
  // An animation would not pass the decoder, which makes the size and the time of the logo predictable.
  if (head === null || mimeType === "image/gif") throw fail("invalid_logo");
  return { mimeType, etag, bytes, width: head.width, height: head.height };
}

function asLogoError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === "invalid_avatar") return fail("invalid_logo");
  return error.code === "avatar_too_large" ? fail("logo_too_large") : error;
}
