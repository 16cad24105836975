import type { AppContext } from "../../context.ts";

const YEAR = "max-age=31536000";
/** Caches that many share ask again after five minutes: by then a picture may be deleted, or guests may read no more. */
const SHARED = "s-maxage=300";

/** Returns the `Cache-Control` of a picture that guests may see if they may read. `isKept`: at its URL it never changes. */
export function pictureCaching({ config }: AppContext, isKept: boolean): string {
  if (!isKept) return `${config.guestRead ? "public" : "private"}, no-cache`;
  return config.guestRead ? `public, ${YEAR}, ${SHARED}, immutable` : `private, ${YEAR}, immutable`;
}
