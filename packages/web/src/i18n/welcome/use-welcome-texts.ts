import { useContext } from "react";
import type { Language } from "../languages.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_WELCOME } from "./en.ts";
import type { WelcomeTexts } from "./texts.ts";
import { ZH_WELCOME } from "./zh.ts";

const TEXTS: Record<Language, WelcomeTexts> = { en: EN_WELCOME, zh: ZH_WELCOME };

/** Returns the texts of the first steps in the user's language. */
export function useWelcomeTexts(): WelcomeTexts {
  return TEXTS[useContext(LanguageContext)];
}
