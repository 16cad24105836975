import { EN } from "../texts/en.ts";
import type { Texts } from "../texts/texts.ts";
import { ZH } from "../texts/zh.ts";
import { keep, readKept } from "./kept.ts";
import { Store } from "./store.ts";

/** `system`: as the device has it. */
export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** The languages there are message files for, by their own names. Add one: a file like `texts/zh.ts`, and a line here and below. */
export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;
const TEXTS: Record<Language, Texts> = { en: EN, zh: ZH };

/** How the page looks and speaks; kept in this browser. */
export class Preferences {
  readonly theme = new Store<Theme>(THEMES.find((theme) => theme === readKept("theme")) ?? "system");
  readonly language = new Store<Language>(firstLanguage());
  readonly texts = new Store<Texts>(TEXTS[this.language.get()]);

  constructor() {
    this.#show();
  }

  setTheme(theme: Theme): void {
    keep("theme", theme);
    this.theme.set(theme);
    this.#show();
  }

  setLanguage(language: Language): void {
    keep("language", language);
    this.language.set(language);
    // Before anything is drawn anew: dates follow it.
    this.#show();
    this.texts.set(TEXTS[language]);
  }

  #show(): void {
    const root = document.documentElement;
    root.dataset.theme = this.theme.get();
    root.lang = this.language.get() === "zh" ? "zh-Hans" : this.language.get();
  }
}

/** What was chosen here before, else the first of the browser's languages there are texts for. */
function firstLanguage(): Language {
  const wished = [readKept("language") ?? "", ...navigator.languages].map((tag) => tag.split("-")[0]);
  return wished.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? "en";
}
