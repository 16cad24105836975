import { showChosen } from "../dom.ts";
import { EN } from "../texts/en.ts";
import type { Texts } from "../texts/texts.ts";
import { ZH } from "../texts/zh.ts";
import { chosenLanguage, chosenTheme, type Language, type Theme } from "./chosen.ts";
import { keep } from "./kept.ts";
import { Store } from "./store.ts";

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
