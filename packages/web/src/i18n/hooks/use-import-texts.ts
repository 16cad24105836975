import { EN_IMPORTS } from "../en/parts/imports.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of imports in the user's language. */
export const useImportTexts = textsHook("imports", EN_IMPORTS);
