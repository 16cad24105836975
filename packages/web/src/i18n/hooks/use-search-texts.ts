import { EN_SEARCH } from "../en/parts/search.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the search's filters in the user's language. */
export const useSearchTexts = textsHook("search", EN_SEARCH);
