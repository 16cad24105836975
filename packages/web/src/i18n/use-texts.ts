import { createContext, useContext } from "react";
import { EN } from "./en.ts";
import type { Language } from "./languages.ts";
import type { Texts } from "./texts.ts";

/** The user's language. */
export const LanguageContext = createContext<Language>("en");

/** The texts of the chat that were loaded; English is part of the page. */
const loaded: { en: Texts } & Partial<Record<Language, Texts>> = { en: EN };

/** Loads the texts of a language, so that `textsOf` returns them. */
export async function loadTexts(language: Language): Promise<void> {
  if (language === "zh") loaded.zh ??= (await import("./zh.ts")).ZH;
}

/** Returns the texts of the chat in a language that was loaded, or else in English. */
export const textsOf = (language: Language): Texts => loaded[language] ?? EN;

/** Returns the page's texts in the user's language. */
export function useTexts(): Texts {
  return textsOf(useContext(LanguageContext));
}
