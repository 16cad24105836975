import { EN_SECURITY } from "../en/parts/security.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of security notices in the user's language. */
export const useSecurityTexts = textsHook("security", EN_SECURITY);
