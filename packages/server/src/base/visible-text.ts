/**
 * Matches anything except spaces, controls, invisible characters (joiners, directions, fillers, variation selectors)
 * and the empty Braille pattern.
 */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True if the text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Characters that are not seen, or that change how others are shown, such as directions. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Returns a text without line breaks and characters that change how the page around it is shown. */
export const oneLine = (text: string): string => text.replace(UNSEEN, " ").trim();

/** Returns an optional text; null if it has no visible character. */
export function optionalText(text: string | null | undefined): string | null {
  return text === undefined || text === null || isBlank(text) ? null : text;
}
