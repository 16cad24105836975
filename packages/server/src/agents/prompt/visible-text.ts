/**
 * Invisible characters that a language model still reads: tags, joiners, fillers, variation selectors, direction marks,
 * control characters, noncharacters, hieroglyph format controls. Emoji are matched first, because they may contain
 * some.
 */
const HIDDEN =
  /(\p{RGI_Emoji})|[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cc}\ufff9-\ufffb\u{13430}-\u{1343f}]--[\n\t]]+/gv;
const MAY_HIDE =
  /[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cc}\u2028\u2029\ufff9-\ufffb\u{13430}-\u{1343f}]--[\n\t]]/v;
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029\v\f]/g;

/** Returns the text as a person sees it: without hidden characters and with one kind of line break. */
export function visibleText(text: string): string {
  return MAY_HIDE.test(text) ? text.replace(LINE_BREAK, "\n").replace(HIDDEN, "$1") : text;
}
