import { addressAt, hrefOf } from "./address.ts";
import type { Marks, Piece } from "./marks.ts";

/** A part of a text that is shown without Markdown; `href`: of a link. */
export interface Part {
  pieces: Piece[];
  href: string | null;
}

/** Where a web address may begin. */
const BEGINS = /(?<!\w)https?:\/\//giu;

/** Splits a text into web addresses and the rest. Joined together, the pieces are the text. */
export function plainParts(marks: Marks): Part[] {
  const parts: Part[] = [];
  let at = 0;
  const add = (end: number, href: string | null) => {
    if (end > at) parts.push({ pieces: marks.split(marks.masked.slice(at, end), at, end), href });
    at = Math.max(at, end);
  };
  for (const { index } of marks.masked.matchAll(BEGINS)) {
    const address = index < at ? "" : addressAt(marks.masked.slice(index));
    if (address === "") continue;
    add(index, null);
    add(index + address.length, hrefOf(marks.restore(address)));
  }
  add(marks.masked.length, null);
  return parts;
}
