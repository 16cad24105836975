import { CONTENT_MAX } from "@parley/protocol/limits";

// Reads payloads of strangers: every field may have any type, and lists are read only as far as a message can be long.

export type Fields = Record<string, unknown>;

const LIST_MAX = 100;

/** Returns a text; numbers as text, and anything else as an empty text. */
export const stringOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};

/** Returns the first 100 items of a list as objects. */
export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.slice(0, LIST_MAX).map(fieldsOf) : [];

export const strong = (text: string): string => (text.trim() === "" ? "" : `**${text.trim()}**`);
export const lines = (texts: readonly string[]): string => texts.filter(Boolean).join("\n");
export const paragraphs = (texts: readonly string[]): string => texts.filter(Boolean).join("\n\n");

/** Returns a link with this text; the address alone without a text, and the text alone without a web address. */
export function link(text: string, address: unknown): string {
  const url = stringOf(address).trim();
  if (!/^(?:https?|mailto):\S+$/i.test(url)) return text;
  const shown = url.replace(/^mailto:/i, "");
  if (text.trim() === "" || text === url || text === shown) return shown;
  return `[${labelText(text)}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** Brackets in a link's text must be pairs, or be escaped; an inner link would end the outer one. */
function labelText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const isPlain = !/\]\(|\\/.test(line) && arePairs(line);
  return isPlain ? line : line.replace(/[\\[\]]/g, "\\$&");
}

function arePairs(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "[") open += 1;
    if (character === "]" && --open < 0) return false;
  }
  return open === 0;
}

/** Returns a moment as people read it, in UTC; empty if it is none. Numbers are seconds since 1970. */
export function moment(value: unknown): string {
  const at =
    typeof value === "string" && !/^\d+(\.\d+)?$/.test(value) ? new Date(value) : new Date(Number(value) * 1000);
  if (value === "" || value === null || value === undefined || Number.isNaN(at.getTime())) return "";
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Cuts a text to what a message may hold, in characters (code points). */
export function cutToMessage(text: string): string {
  if (text.length <= CONTENT_MAX) return text;
  const points = [...text.slice(0, 2 * CONTENT_MAX + 2)];
  return points.length <= CONTENT_MAX ? points.join("") : `${points.slice(0, CONTENT_MAX - 1).join("")}…`;
}
