import { createContext, useContext } from "react";
import { EN } from "./en/chat/chat.ts";
import { errorTextIn } from "./error-texts.ts";
import type { Language } from "./languages.ts";
import type { EnglishTexts, Texts, Translation } from "./texts.ts";
import { textsIn } from "./translations.ts";

/** The user's language. */
export const LanguageContext = createContext<Language>("en");

/** The texts that `textsOf` has returned, each by the texts it was made of. */
const known = new WeakMap<object, Texts>();

/** Returns the texts of the chat in a language that was loaded. What it lacks is in English. */
export function textsOf(language: Language): Texts {
  const chat = textsIn(language, "chat", EN);
  const made = known.get(chat) ?? { ...chat, errorMessage: (error: unknown) => errorTextIn(language, error) };
  known.set(chat, made);
  return made;
}

/** Returns the page's texts in the user's language. */
export const useTexts = (): Texts => textsOf(useContext(LanguageContext));

/** Returns a hook for a feature's texts in the user's language. `english` loads with the code that uses the hook. */
export function textsHook<F extends keyof EnglishTexts>(
  feature: F,
  english: Translation<EnglishTexts[F]>,
): () => Translation<EnglishTexts[F]> {
  return () => textsIn(useContext(LanguageContext), feature, english);
}
