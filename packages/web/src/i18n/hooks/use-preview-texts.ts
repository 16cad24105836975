import { EN_PREVIEWS } from "../en/parts/previews.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of previews of links in the user's language. */
export const usePreviewTexts = textsHook("previews", EN_PREVIEWS);
