import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { hasTag } from "../http/answers/respond.ts";
import { siteLogo, siteNow } from "../site/site.ts";
import { pageIcon } from "./web.service.ts";

/** The address of the site's logo. */
const LOGO_PATH = "/icons/logo";
/** The smallest icon that browsers install an app with. */
const ICON_MIN = 192;
/** A changed logo shows within a minute. */
const REVALIDATED = "public, max-age=60";

/** Returns the manifest with which a browser installs the web client as an app. */
export async function appManifest(ctx: AppContext) {
  const { path, type } = await pageIcon(ctx);
  const { name, logo } = await siteNow(ctx);
  const own = logo === null ? [] : [{ src: logoPath(logo.etag), type: logo.mimeType, sizes: sizesOf(logo) }];
  const isLarge = logo !== null && Math.min(logo.width, logo.height) >= ICON_MIN;
  return {
    name,
    short_name: name,
    description: "A place where people and agents talk.",
    categories: ["social", "productivity"],
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: "#ffffff",
    theme_color: "#ffffff",
    icons: isLarge
      ? own
      : [
          ...own,
          { src: path, type: type.replace(/;.*/, ""), sizes: "any" },
          { src: "/icons/icon-192.png", type: "image/png", sizes: "192x192" },
          { src: "/icons/icon-512.png", type: "image/png", sizes: "512x512" },
          { src: "/icons/maskable-512.png", type: "image/png", sizes: "512x512", purpose: "maskable" },
        ],
  };
}

/** Another logo has another address, so that browsers notice that the installed app's icon has changed. */
const logoPath = (etag: string): string => `${LOGO_PATH}?v=${etag.slice(1, -1)}`;

const sizesOf = ({ width, height }: { width: number; height: number }): string => `${width}x${height}`;

/**
 * Returns the site's logo.
 * @throws not_found if there is none
 */
export async function logoResponse(ctx: AppContext, request: Request): Promise<Response> {
  const logo = await siteLogo(ctx);
  if (logo === null) throw fail("not_found");
  const headers = {
    etag: logo.etag,
    "cache-control": REVALIDATED,
    // Browsers may only show it as a picture.
    "content-security-policy": "default-src 'none'; sandbox",
  };
  if (hasTag(request, logo.etag)) return new Response(null, { status: 304, headers });
  return new Response(Buffer.from(logo.bytes), { headers: { ...headers, "content-type": logo.mimeType } });
}

/**
 * Returns the icon of the pages: the site's logo, or that of Parley. It is always an SVG picture, which the number of
 * calls can be drawn on.
 */
export async function iconResponse(ctx: AppContext, request: Request, badge: number | undefined): Promise<Response> {
  const { logo } = await siteNow(ctx);
  const { type, text } = await pageIcon(ctx);
  if (logo === null) {
    const shown = badge === undefined ? text : badged(text, badge);
    return new Response(shown, { headers: { "content-type": type, "cache-control": "public, max-age=300" } });
  }
  const etag = `"${logo.etag.slice(1, -1)}-${badge ?? ""}"`;
  const headers = { etag, "cache-control": REVALIDATED };
  if (hasTag(request, etag)) return new Response(null, { status: 304, headers });
  const found = await siteLogo(ctx);
  const svg = found === null ? text : pictureSvg(found);
  return new Response(badge === undefined ? svg : badged(svg, badge), {
    headers: { ...headers, "content-type": type },
  });
}

function pictureSvg({ mimeType, bytes }: { mimeType: string; bytes: Uint8Array }): string {
  const address = `data:${mimeType};base64,${Buffer.from(bytes).toString("base64")}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><image width="32" height="32" href="${address}"/></svg>`;
}

/** Draws a number at the icon's lower right corner, or a dot for 0. */
function badged(svg: string, badge: number): string {
  const label = badge > 9 ? "9+" : String(badge);
  const mark =
    badge === 0
      ? '<circle cx="25" cy="25" r="6" fill="#e5484d" stroke="#fff" stroke-width="1.5"/>'
      : '<rect x="11" y="12" width="21" height="20" rx="6" fill="#d1242f"/>' +
        `<text x="21.500" y="28.500" font-family="sans-serif" font-size="18" font-weight="700" text-anchor="middle" fill="#fff">${label}</text>`;
  return svg.replace("</svg>", `${mark}</svg>`);
}
