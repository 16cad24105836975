import { EN_FILES } from "../en/parts/files.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of files in the user's language. */
export const useFileTexts = textsHook("files", EN_FILES);
