import type { KeyboardEvent } from "react";

/** The keyCode browsers report for a key handled by an input method; Safari does so even after the composition has ended. */
const TAKEN_BY_METHOD = 229;

/** True if the key belongs to an input method's composition and must be ignored. */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === TAKEN_BY_METHOD;
