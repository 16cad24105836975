/** Spaces, controls, what is drawn as nothing (joiners, directions, fillers, variation selectors), and the empty pattern of Braille. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Is there nothing to see in a text? */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** A text that may be left out: one in which there is nothing to see is none. */
export function optionalText(text: string | null | undefined): string | null {
  return text === undefined || text === null || isBlank(text) ? null : text;
}
