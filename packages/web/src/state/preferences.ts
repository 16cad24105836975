import { applyPreferences } from "../claim/dom.ts";
import { EN } from "../i18n/en.ts";
import type { Texts } from "../i18n/texts.ts";
import { ZH } from "../i18n/zh.ts";
import { writeStored } from "./local-storage.ts";
import { Store } from "./store.ts";
import { type Language, storedLanguage, storedTheme, type Theme } from "./stored-preferences.ts";

const TEXTS: Record<Language, Texts> = { en: EN, zh: ZH };

/** Theme and language; stored in this browser. */
export class Preferences {
  readonly theme = new Store<Theme>(storedTheme());
  readonly language = new Store<Language>(storedLanguage());
  readonly texts = new Store<Texts>(TEXTS[this.language.get()]);

  constructor() {
    this.#show();
  }

  setTheme(theme: Theme): void {
    writeStored("theme", theme);
    this.theme.set(theme);
    this.#show();
  }

  setLanguage(language: Language): void {
    writeStored("language", language);
    this.language.set(language);
    // Before anything renders, because date formats depend on it.
    this.#show();
    this.texts.set(TEXTS[language]);
  }

  #show(): void {
    applyPreferences(this.theme.get(), this.language.get());
  }
}
