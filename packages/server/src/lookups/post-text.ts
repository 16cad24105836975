import { type Static, Type } from "typebox";
import { Check } from "typebox/value";

/** Elements that start a line of their own. */
const BLOCKS = "br,p,div,li,ul,ol,pre,blockquote,h1,h2,h3,h4,h5,h6";
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const CODE_POINT_MAX = 0x10_ff_ff;

/**
 * Returns the text of sanitised HTML as a reader sees it: tags removed, blocks on their own lines, entities decoded.
 */
export function htmlToText(html: string): string {
  const parts: string[] = [];
  new HTMLRewriter()
    .on(BLOCKS, { element: () => void parts.push("\n") })
    .onDocument({ text: ({ text }) => void parts.push(text) })
    .transform(html);
  return decodeEntities(parts.join("")).trim();
}

/** Decodes numeric entities and the named ones of sanitised text; any other is left unchanged. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= CODE_POINT_MAX ? String.fromCodePoint(code) : "\ufffd";
  });
}

const SHORT = /https?:\/\/t\.co\/\w{1,32}/g;

/** A link of a post, as the X API and twitterapi.io describe it. The bounds limit how long a text can get. */
const Link = Type.Object({
  /** The t.co address in the text. */
  url: Type.String({ maxLength: 64 }),
  /** The text that readers see: the address without its scheme, with a long path truncated by `…`. */
  display_url: Type.String({ maxLength: 300 }),
  expanded_url: Type.Optional(Type.String()),
});

/**
 * Returns the text of a post on X as readers see it. X replaces every link, even a bare host name, with a t.co address,
 * and writes `&`, `<` and `>` as entities. `links` is the API's description of the links; malformed entries are
 * ignored.
 */
export function textOfX(text: string, links: unknown): string {
  const known = (Array.isArray(links) ? links : []).filter((link) => Check(Link, link));
  const shown = new Map(known.map((link) => [link.url, shownText(link)]));
  return decodeEntities(text.replace(SHORT, (short) => shown.get(short) ?? short));
}

/** Returns the complete address if it begins with the shown text: the ellipsis then hides only the end of a path. */
function shownText({ display_url, expanded_url = "" }: Static<typeof Link>): string {
  if (!display_url.endsWith("…")) return display_url;
  const whole = expanded_url.slice(0, 300).replace(/^https?:\/\/(?:www\.)?/i, "");
  return whole.startsWith(display_url.slice(0, -1)) ? whole : display_url;
}
