import { type ErrorTexts, errorMessage } from "./error-message.ts";
import type { Language } from "./languages.ts";

/** The error texts; null until they are loaded. */
let texts: ErrorTexts | null = null;

/**
 * Loads the texts of errors, which in English are not part of the first script. Resolves also if they cannot be loaded,
 * because the server's own messages will do.
 */
export async function loadErrorTexts(language: Language): Promise<void> {
  // Those of other languages load with all of their texts.
  if (language !== "en") return;
  try {
    texts ??= (await import("./en-errors.ts")).EN_ERRORS;
  } catch (error) {
    console.error(error);
  }
}

/** Returns the English message to show for an error. Until the texts are loaded, it is the server's own message. */
export const englishErrorMessage = (error: unknown): string =>
  texts === null ? (error instanceof Error ? error.message : String(error)) : errorMessage(error, texts);
