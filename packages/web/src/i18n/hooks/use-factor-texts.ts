import { EN_FACTORS } from "../en/parts/factors.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of second factors and passkeys in the user's language. */
export const useFactorTexts = textsHook("factors", EN_FACTORS);
