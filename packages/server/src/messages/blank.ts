/** Spaces, controls, what is drawn as nothing (joiners, directions, fillers, variation selectors), and the empty pattern of Braille. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Is there nothing to see in a text? */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
