import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import { decodeEntities } from "./html-text.ts";

const SHORT = /https?:\/\/t\.co\/\w{1,32}/g;

/** A link of a post, as the X API and twitterapi.io describe it. The bounds keep a text from growing without limit. */
const Link = Type.Object({
  /** The address of t.co in the text. */
  url: Type.String({ maxLength: 64 }),
  /** The text that readers see: the address without its scheme, its path cut after some characters with `…`. */
  display_url: Type.String({ maxLength: 300 }),
  expanded_url: Type.Optional(Type.String()),
});

/**
 * Returns the text of a post on X as readers see it. X puts an address of t.co in the place of every link, also of a bare host name, and
 * writes `&`, `<` and `>` as entities. `links` is what the API says of the links; what is malformed in it is ignored.
 */
export function textOfX(text: string, links: unknown): string {
  const known = (Array.isArray(links) ? links : []).filter((link) => Check(Link, link));
  const shown = new Map(known.map((link) => [link.url, shownText(link)]));
  return decodeEntities(text.replace(SHORT, (short) => shown.get(short) ?? short));
}

/** The complete address when it begins with what is shown: an ellipsis hides nothing but the end of a path. */
function shownText({ display_url, expanded_url = "" }: Static<typeof Link>): string {
  if (!display_url.endsWith("…")) return display_url;
  const whole = expanded_url.slice(0, 300).replace(/^https?:\/\/(?:www\.)?/i, "");
  return whole.startsWith(display_url.slice(0, -1)) ? whole : display_url;
}
