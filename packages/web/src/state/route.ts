/** The page's location, kept in the address behind `#`, so that links and the back button work. */
export type Route = { page: "channel"; slug: string; messageId: number | null };

/** The channel that always exists. */
const HOME: Route = { page: "channel", slug: "general", messageId: null };

/** Parses `/c/<slug>` and `/c/<slug>/<message id>`. Anything else is the home route. */
export function parseRoute(hash: string): Route {
  const [kind, slug = "", message = ""] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (kind !== "c" || slug === "") return HOME;
  return { page: "channel", slug, messageId: /^[1-9]\d{0,14}$/.test(message) ? Number(message) : null };
}

export function hrefOf(route: Route): string {
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
