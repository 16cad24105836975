import { EN_NAVIGATION } from "../en/parts/navigation.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the switcher, cards and shortcuts in the user's language. */
export const useNavigationTexts = textsHook("navigation", EN_NAVIGATION);
