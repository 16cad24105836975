/**
 * The page's location, kept in the address behind `#`, so that links and the back button work. Without a slug it is the
 * start page, which shows the channel that `ChannelList.home` chooses.
 */
export type Route = { page: "channel"; slug: string | null; messageId: number | null };

/** The address of the start page. */
export const HOME_HREF = "#/";

/** Parses `/c/<slug>` and `/c/<slug>/<message id>`. Anything else is the start page. */
export function parseRoute(hash: string): Route {
  const [kind, slug = "", message = ""] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (kind !== "c" || slug === "") return { page: "channel", slug: null, messageId: null };
  return { page: "channel", slug, messageId: /^[1-9]\d{0,14}$/.test(message) ? Number(message) : null };
}

export function hrefOf(route: Route & { slug: string }): string {
  const message = route.messageId === null ? "" : `/${route.messageId}`;
  return `#/c/${encodeURIComponent(route.slug)}${message}`;
}

/** Returns the address of a channel. */
export const channelHref = (slug: string): string => hrefOf({ page: "channel", slug, messageId: null });

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
