/**
 * The page's location, kept in the address behind `#`, so that links and the back button work. A channel without a slug is
 * the start page, which shows the channel that `ChannelList.home` chooses.
 */
export interface Route {
  page: "channel" | "threads" | "catch-up";
  slug: string | null;
  /** The message whose thread is open beside the channel. */
  threadId: number | null;
  /** The message to show: in the thread if one is open, otherwise in the channel. */
  messageId: number | null;
}

/** The address of the start page. */
export const HOME_HREF = "#/";
/** The address of the list of followed threads. */
export const THREADS_HREF = "#/threads";
/** The address of everything that is unread. */
export const CATCH_UP_HREF = "#/catch-up";

const HOME: Route = { page: "channel", slug: null, threadId: null, messageId: null };

/**
 * Parses `/c/<slug>`, `/c/<slug>/<message id>`, `/c/<slug>/t/<message id>`, a thread, `/c/<slug>/t/<message id>/<reply id>`,
 * `/threads` and `/catch-up`. Anything else is the start page.
 */
export function parseRoute(hash: string): Route {
  const [kind, slug = "", ...rest] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if ((kind === "threads" || kind === "catch-up") && slug === "") return { ...HOME, page: kind };
  if (kind !== "c" || slug === "") return HOME;
  const isThread = rest[0] === "t" && idOf(rest[1]) !== null;
  const threadId = isThread ? idOf(rest[1]) : null;
  return { page: "channel", slug, threadId, messageId: idOf(isThread ? rest[2] : rest[0]) };
}

const idOf = (part = ""): number | null => (/^[1-9]\d{0,14}$/.test(part) ? Number(part) : null);

export function hrefOf({ slug, threadId = null, messageId }: Place): string {
  const thread = threadId === null ? "" : `/t/${threadId}`;
  const message = messageId === null ? "" : `/${messageId}`;
  return `#/c/${encodeURIComponent(slug)}${thread}${message}`;
}

/** Returns the part behind the page's address if a URL leads to a channel or message of this site; null: it does not. */
export function placeIn(url: string, origin: string): string | null {
  if (!url.startsWith(`${origin}/#/c/`)) return null;
  const place = url.slice(origin.length + 1);
  return parseRoute(place).slug === null ? null : place;
}

interface Place {
  slug: string;
  threadId?: number | null;
  messageId: number | null;
}

/** Returns the address of a channel. */
export const channelHref = (slug: string): string => hrefOf({ slug, messageId: null });

/** Returns the address of a message: a reply's is in its thread. */
export function messageHref(message: { id: number; channel_slug: string; thread_root_id?: number | null }): string {
  const { id, channel_slug: slug, thread_root_id: threadId = null } = message;
  return hrefOf({ slug, threadId, messageId: id });
}

/** Returns the address of the thread that a message began. */
export const threadHref = (root: { id: number; channel_slug: string }): string =>
  hrefOf({ slug: root.channel_slug, threadId: root.id, messageId: null });

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
