import { EN_SAVED } from "../en/parts/saved.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of saved messages in the user's language. */
export const useSavedTexts = textsHook("saved", EN_SAVED);
