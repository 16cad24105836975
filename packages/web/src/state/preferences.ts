import { loadErrorTexts } from "../i18n/error-texts.ts";
import type { Language } from "../i18n/languages.ts";
import type { Texts } from "../i18n/texts.ts";
import { loadTranslation } from "../i18n/translations.ts";
import { textsOf } from "../i18n/use-texts.ts";
import { writeStored } from "./local-storage.ts";
import { Store } from "./store.ts";
import { applyPreferences, storedLanguage, storedTheme, type Theme } from "./stored-preferences.ts";

/** Theme and language; stored in this browser. */
export class Preferences {
  readonly theme = new Store<Theme>(storedTheme());
  readonly language = new Store<Language>(storedLanguage());

  constructor() {
    this.#show();
  }

  /** The texts of the chat in the user's language. */
  get texts(): Texts {
    return textsOf(this.language.get());
  }

  /** Returns the message to show for an error, in the user's language if there is a text for it. */
  async errorText(error: unknown): Promise<string> {
    await loadErrorTexts(this.language.get());
    return this.texts.errorMessage(error);
  }

  setTheme(theme: Theme): void {
    writeStored("theme", theme);
    this.theme.set(theme);
    this.#show();
  }

  /** Rejects if the texts cannot be loaded; then nothing changes. */
  async setLanguage(language: Language): Promise<void> {
    await Promise.all([loadTranslation(language), loadErrorTexts(language)]);
    writeStored("language", language);
    this.language.set(language);
    // Before anything renders, because date formats depend on it.
    this.#show();
  }

  #show(): void {
    applyPreferences(this.theme.get(), this.language.get());
  }
}
