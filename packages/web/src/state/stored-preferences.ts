import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { readStored } from "./local-storage.ts";

/** `system`: follows the device's setting. */
export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** Returns the theme stored in this browser by any of the pages. */
export const storedTheme = (): Theme => THEMES.find((theme) => theme === readStored("theme")) ?? "system";

/** Returns the language stored in this browser, else the first of the browser's languages that is available. */
export function storedLanguage(): Language {
  const wished = [readStored("language") ?? "", ...navigator.languages].map((tag) => tag.split("-")[0]);
  return wished.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? "en";
}

/** Sets theme and language on the document, for styles and screen readers. */
export function applyPreferences(theme: Theme, language: Language): void {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.lang = LANGUAGES[language].tag ?? language;
}
