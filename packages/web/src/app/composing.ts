import type { KeyboardEvent } from "react";

/** What browsers say of a key that an input method has taken, even where they tell that the composition is over (Safari). */
const TAKEN_BY_METHOD = 229;

/** Is the key one of those by which a character is composed? It chooses or ends that, and means nothing else. */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === TAKEN_BY_METHOD;
