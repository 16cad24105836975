import { EN_WRITING } from "../en/parts/writing.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of what the composer offers in the user's language. */
export const useWritingTexts = textsHook("writing", EN_WRITING);
