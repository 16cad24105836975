import { showChosen } from "../claim/dom.ts";
import { EN } from "../i18n/en.ts";
import type { Texts } from "../i18n/texts.ts";
import { ZH } from "../i18n/zh.ts";
import { keep } from "./local-storage.ts";
import { Store } from "./store.ts";
import { chosenLanguage, chosenTheme, type Language, type Theme } from "./stored-preferences.ts";

const TEXTS: Record<Language, Texts> = { en: EN, zh: ZH };

/** Theme and language; stored in this browser. */
export class Preferences {
  readonly theme = new Store<Theme>(chosenTheme());
  readonly language = new Store<Language>(chosenLanguage());
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
    // Before anything renders, because date formats depend on it.
    this.#show();
    this.texts.set(TEXTS[language]);
  }

  #show(): void {
    showChosen(this.theme.get(), this.language.get());
  }
}
