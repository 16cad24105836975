import { createContext, useContext } from "react";
import { EN } from "./en.ts";
import type { Language } from "./languages.ts";
import type { Texts } from "./texts.ts";
import { ZH } from "./zh.ts";

/** The user's language. */
export const LanguageContext = createContext<Language>("en");

/** The texts of the chat in each language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, zh: ZH };

/** Returns the page's texts in the user's language. */
export function useTexts(): Texts {
  return TEXTS[useContext(LanguageContext)];
}
