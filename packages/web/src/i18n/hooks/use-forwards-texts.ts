import { EN_FORWARDS } from "../en/parts/forwards.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of forwarded messages in the user's language. */
export const useForwardsTexts = textsHook("forwards", EN_FORWARDS);
