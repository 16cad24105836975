import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { NavigationTexts } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_NAVIGATION } from "./en.ts";
import { ZH_NAVIGATION } from "./zh.ts";

const TEXTS: Record<Language, NavigationTexts> = { en: EN_NAVIGATION, zh: ZH_NAVIGATION };

/** Returns the texts of the switcher, cards and shortcuts in the user's language. */
export function useNavigationTexts(): NavigationTexts {
  return TEXTS[useContext(LanguageContext)];
}
