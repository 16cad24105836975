import { readKept } from "./kept.ts";

/** `system`: as the device has it. */
export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** The languages there are texts for, by their own names. */
export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

/** What was chosen in this browser, by whichever page. */
export const chosenTheme = (): Theme => THEMES.find((theme) => theme === readKept("theme")) ?? "system";

/** What was chosen in this browser, else the first of its languages there are texts for. */
export function chosenLanguage(): Language {
  const wished = [readKept("language") ?? "", ...navigator.languages].map((tag) => tag.split("-")[0]);
  return wished.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? "en";
}
