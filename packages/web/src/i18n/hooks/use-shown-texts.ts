import { EN_SHOWN } from "../en/parts/shown.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of display names and statuses in the user's language. */
export const useShownTexts = textsHook("shown", EN_SHOWN);
