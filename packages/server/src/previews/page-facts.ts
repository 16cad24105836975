import { PREVIEW_DESCRIPTION_MAX, PREVIEW_SITE_MAX, PREVIEW_TITLE_MAX } from "@parley/protocol/previews";
import { Parser } from "htmlparser2";
import { isBlank } from "../base/visible-text.ts";
import { withoutHidden } from "../files/upload/file-name.ts";

/** The words of a page about itself, ready to be shown as text. */
export interface PageFacts {
  title: string;
  description: string | null;
  siteName: string | null;
  /** The address of its picture. */
  picture: string | null;
}

/** Characters that the parser gets at a time: between two pieces it can be stopped. */
const PIECE = 16 * 1024;
/** A page with more has its description elsewhere, or is hostile: deep nesting costs the parser the square of its depth. */
const TAGS_MAX = 20_000;
const DEPTH_MAX = 500;
/** Characters of a value that are read before it is cut for the reader. */
const READ_MAX = 4_000;

/** The `meta` elements that are read, the better one first. */
const TITLES = ["og:title", "twitter:title"];
const DESCRIPTIONS = ["og:description", "twitter:description", "description"];
const SITES = ["og:site_name", "application-name"];
const PICTURES = ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"];
const READ = new Set([...TITLES, ...DESCRIPTIONS, ...SITES, ...PICTURES, "robots", "parley"]);

/** The wishes of a page to robots (the `robots` meta element and `X-Robots-Tag`). */
interface Asked {
  nothing: boolean;
  noDescription: boolean;
  noPicture: boolean;
}

/**
 * Returns what a page may be shown as; null if it has no title, or asks not to be listed or quoted. `robots` is its header
 * `X-Robots-Tag`.
 */
export function pageFacts(html: string, robots = ""): PageFacts | null {
  const found = metaOf(html);
  const asked = askedOf([robots, found.get("robots") ?? "", found.get("parley") ?? ""]);
  const first = (names: readonly string[], max: number) => {
    for (const name of names) {
      const text = shownText(found.get(name) ?? "", max);
      if (text !== null) return text;
    }
    return null;
  };
  const title = first([...TITLES, "title"], PREVIEW_TITLE_MAX);
  if (asked.nothing || title === null) return null;
  return {
    title,
    description: asked.noDescription ? null : first(DESCRIPTIONS, PREVIEW_DESCRIPTION_MAX),
    siteName: first(SITES, PREVIEW_SITE_MAX),
    picture: asked.noPicture ? null : (PICTURES.map((name) => found.get(name)).find((value) => value) ?? null),
  };
}

/** Reads the `meta` elements and the title. The first of each name counts; all `robots` count together. */
function metaOf(html: string): Map<string, string> {
  const found = new Map<string, string>();
  let [tags, depth, isInTitle, isOver] = [0, 0, false, false];
  let title = "";
  const parser = new Parser({
    onopentag(name, { property, name: own, content }) {
      depth += 1;
      if (++tags > TAGS_MAX || depth > DEPTH_MAX) isOver = true;
      // Pictures in the page have titles of their own.
      if (name === "title" && title === "") isInTitle = true;
      if (name !== "meta" || content === undefined) return;
      for (const key of [property, own]) if (key !== undefined) note(key.trim().toLowerCase(), content);
    },
    ontext(text) {
      if (isInTitle && title.length < READ_MAX) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === "title") isInTitle = false;
    },
  });
  const note = (name: string, content: string) => {
    if (!READ.has(name) || isOver) return;
    const before = found.get(name);
    if (before === undefined) found.set(name, content.slice(0, READ_MAX));
    else if (name === "robots") found.set(name, `${before},${content}`.slice(0, READ_MAX));
  };
  for (let at = 0; at < html.length && !isOver; at += PIECE) parser.write(html.slice(at, at + PIECE));
  if (!isOver) parser.end();
  if (title !== "") found.set("title", title.slice(0, READ_MAX));
  return found;
}

function askedOf(rules: readonly string[]): Asked {
  const words = new Set(
    rules
      .join(",")
      .toLowerCase()
      .split(",")
      .map((rule) => rule.replaceAll(/\s+/g, "")),
  );
  return {
    nothing: ["noindex", "none", "nosnippet"].some((word) => words.has(word)),
    noDescription: words.has("max-snippet:0"),
    noPicture: words.has("noimageindex") || words.has("max-image-preview:none"),
  };
}

/** Returns a text of a stranger as one line without hidden characters, cut to `max` characters; null if nothing is left. */
export function shownText(text: string, max: number): string | null {
  const line = withoutHidden(text.normalize("NFC").replaceAll(/\s+/gu, " ")).replaceAll(/ {2,}/g, " ").trim();
  if (isBlank(line)) return null;
  const characters = [...line];
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}
