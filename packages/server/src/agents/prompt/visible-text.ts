import { JOINING } from "../../unicode/scripts.ts";

/**
 * Invisible characters that a language model still reads: tags, joiners, fillers, variation selectors, direction marks,
 * control characters, noncharacters, lone surrogates, hieroglyph format controls.
 */
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cc}\p{Cs}\ufff9-\ufffb\u{13430}-\u{1343f}]--[\n\t]`;

/** Between two letters of such a script. */
const JOINER = String.raw`(?<=${JOINING})[\u200c\u200d](?=${JOINING})`;

/** Emoji and joiners within words are matched first, because they stay. */
const HIDDEN = new RegExp(String.raw`(\p{RGI_Emoji}|${JOINER})|[${INVISIBLE}]`, "gv");
const MAY_HIDE = new RegExp(String.raw`[[${INVISIBLE}]\u2028\u2029]`, "v");
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029\v\f]/g;
/** What is left of an emoji that was cut in two. */
const CUT_END = new RegExp(`[${INVISIBLE}]+$`, "v");

/** How many hidden characters of a text are shown one by one, so that a text of 4,000 of them stays short. */
const SHOWN_MAX = 200;

/**
 * Returns the text as a language model should read it: hidden characters are shown as `⟨U+202E⟩`, and line breaks are of
 * one kind. Emoji stay whole.
 */
export function visibleText(text: string): string {
  if (!MAY_HIDE.test(text)) return text;
  let hidden = 0;
  const shown = text.replace(LINE_BREAK, "\n").replace(HIDDEN, (found, kept: string | undefined) => {
    if (kept !== undefined) return kept;
    return ++hidden > SHOWN_MAX ? "" : `⟨${codePoint(found)}⟩`;
  });
  return hidden > SHOWN_MAX ? `${shown}⟨and ${hidden - SHOWN_MAX} more hidden characters⟩` : shown;
}

/** Returns a value of JSON in which every text, names of fields too, is as `visibleText` shows it. */
export function visibleStrings(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(visibleStrings);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [visibleText(name), visibleStrings(each)]));
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Cuts a visible text to that many UTF-16 units at most, never within a character. */
export const cutVisible = (text: string, length: number): string => text.slice(0, length).replace(CUT_END, "");

/** Quotes and line breaks in a name are escaped, so that it stays one word of a label. */
export const quoted = (name: string): string => JSON.stringify(visibleText(name));
