import { EN_WELCOME } from "../en/parts/welcome.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the first steps in the user's language. */
export const useWelcomeTexts = textsHook("welcome", EN_WELCOME);
