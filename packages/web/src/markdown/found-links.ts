import { UNSPACED_LETTER } from "@parley/protocol/letters";

/** An email address or the name of a channel in running text, or the text between them. */
export type Found = { kind: "text" | "mail"; text: string } | { kind: "channel"; text: string; slug: string };

/** A word begins here: before it is neither a sign of an address nor a letter of a script with spaces. */
const BEGINS = String.raw`(?<![\w.%+@/&#=?:~-])(?<!(?!${UNSPACED_LETTER.source})[\p{L}\p{N}\p{M}\p{Cf}])`;
/** A word ends here. */
const ENDS = String.raw`(?![\w@/-]|(?!${UNSPACED_LETTER.source})[\p{L}\p{N}\p{M}\p{Cf}])`;
/** Without signs that could begin the fields of a message: nothing but the address goes into the link. */
const MAIL = String.raw`[a-z0-9][a-z0-9._+-]{0,63}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?!\.[a-z0-9])`;
/** A slug (protocol §3). Whether there is such a channel only the reader's page knows. */
const SLUG = "[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?";

const LINKS = new RegExp(`${BEGINS}(?:(${MAIL})|#(${SLUG}))${ENDS}`, "giu");

/**
 * Returns a text in parts, of which some may be links. Joined together, they are the text. Each letter is read a bounded
 * number of times.
 */
export function foundLinks(text: string): Found[] {
  const parts: Found[] = [];
  let at = 0;
  for (const { 0: found, 2: slug, index } of text.matchAll(LINKS)) {
    if (index > at) parts.push({ kind: "text", text: text.slice(at, index) });
    parts.push(
      slug === undefined ? { kind: "mail", text: found } : { kind: "channel", text: found, slug: slug.toLowerCase() },
    );
    at = index + found.length;
  }
  if (at < text.length) parts.push({ kind: "text", text: text.slice(at) });
  return parts;
}

/** Returns how many links a text may have. */
export const countLinks = (text: string): number => foundLinks(text).filter(({ kind }) => kind !== "text").length;
