import { EN_AT_WORK } from "../en/parts/at-work.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of what agents do in the user's language. */
export const useAtWorkTexts = textsHook("atWork", EN_AT_WORK);
