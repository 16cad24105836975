import { useContext } from "react";
import type { Language } from "../languages.ts";
import { LanguageContext } from "../use-texts.ts";
import { type CardTexts, EN_CARDS } from "./en.ts";
import { ZH_CARDS } from "./zh.ts";

const TEXTS: Record<Language, CardTexts> = { en: EN_CARDS, zh: ZH_CARDS };

/** Returns the texts of cards in the user's language. */
export function useCardTexts(): CardTexts {
  return TEXTS[useContext(LanguageContext)];
}
