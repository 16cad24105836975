import { EN_SITE } from "../en/parts/site.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the settings of the site in the user's language. */
export const useSiteTexts = textsHook("site", EN_SITE);
