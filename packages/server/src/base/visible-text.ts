/**
 * Matches anything except spaces, controls, invisible characters (joiners, directions, fillers, variation selectors)
 * and the empty Braille pattern.
 */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True if the text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Returns an optional text; null if it has no visible character. */
export function optionalText(text: string | null | undefined): string | null {
  return text === undefined || text === null || isBlank(text) ? null : text;
}
