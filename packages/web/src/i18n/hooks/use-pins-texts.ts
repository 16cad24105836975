import { EN_PINS } from "../en/parts/pins.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the list of pins in the user's language. */
export const usePinsTexts = textsHook("pins", EN_PINS);
