import { type ErrorTexts, errorMessage } from "./error-message.ts";

/** The error texts; null until they are loaded. */
let texts: ErrorTexts | null = null;

/** Loads the English texts of errors. They are not part of the first script, because the first view shows none. */
export async function loadEnglishErrors(): Promise<void> {
  texts = (await import("./en-errors.ts")).EN_ERRORS;
}

/** Returns the English message to show for an error. Until the texts are loaded, it is the server's own message. */
export const englishErrorMessage = (error: unknown): string =>
  texts === null ? (error instanceof Error ? error.message : String(error)) : errorMessage(error, texts);
