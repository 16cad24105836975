import { LANGUAGES, type Language } from "./languages.ts";
import type { EnglishTexts, PartialTexts, Translation } from "./texts.ts";
import { withEnglish } from "./with-english.ts";

/** The texts that were loaded, by language. English loads with the code that shows it, and is not here. */
const loaded = new Map<string, PartialTexts<EnglishTexts>>();

/** The results of `textsIn`, by language and feature. */
const complete = new Map<string, unknown>();

/** Loads the texts of a language, so that `textsIn` returns them. */
export async function loadTranslation(language: Language): Promise<void> {
  if (loaded.has(language)) return;
  const { texts, notifications } = LANGUAGES[language];
  const [own, ofNotifications] = await Promise.all([texts?.(), notifications?.()]);
  addTranslation(language, { ...own, ...(ofNotifications && { notifications: ofNotifications }) });
}

/** Makes `textsIn` return these texts of a language. */
export function addTranslation(language: string, texts: PartialTexts<EnglishTexts>): void {
  loaded.set(language, texts);
  complete.clear();
}

/** Returns a feature's texts in a language that was loaded. What it lacks is in English. */
export function textsIn<F extends keyof EnglishTexts>(
  language: string,
  feature: F,
  english: Translation<EnglishTexts[F]>,
): Translation<EnglishTexts[F]> {
  const own = loaded.get(language)?.[feature];
  if (own === undefined) return english;
  const key = `${language} ${feature}`;
  const known = complete.get(key) as Translation<EnglishTexts[F]> | undefined;
  if (known !== undefined) return known;
  const all = withEnglish(english, own);
  complete.set(key, all);
  return all;
}
