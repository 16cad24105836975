import { EN_POLLS } from "../en/parts/polls.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of polls in the user's language. */
export const usePollTexts = textsHook("polls", EN_POLLS);
