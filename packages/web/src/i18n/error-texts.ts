import { type ErrorTexts, errorMessage } from "./error-message.ts";
import { LANGUAGES, type Language } from "./languages.ts";
import { withEnglish } from "./with-english.ts";

/** The texts of errors, which are not part of the first script, by language. */
const loaded = new Map<Language, ErrorTexts>();

/**
 * Loads the texts of errors in a language, with the English ones for those that it lacks. Resolves also if they cannot
 * be loaded, because the server's own messages will do.
 */
export async function loadErrorTexts(language: Language): Promise<void> {
  if (loaded.has(language)) return;
  try {
    const [{ EN_ERRORS }, own] = await Promise.all([import("./en/errors.ts"), LANGUAGES[language].errors?.()]);
    loaded.set(language, withEnglish(EN_ERRORS, own ?? {}));
  } catch (error) {
    console.error(error);
  }
}

/** Returns the message to show for an error in a language. Until its texts are loaded, it is the server's own message. */
export function errorTextIn(language: Language, error: unknown): string {
  const texts = loaded.get(language);
  if (texts !== undefined) return errorMessage(error, texts);
  return error instanceof Error ? error.message : String(error);
}
