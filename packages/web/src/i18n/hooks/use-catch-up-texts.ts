import { EN_CATCH_UP } from "../en/parts/catch-up.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of Catch up in the user's language. */
export const useCatchUpTexts = textsHook("catchUp", EN_CATCH_UP);
