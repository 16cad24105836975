import { badRequest } from "../telegram-error.ts";

/** Characters that a message of the Telegram door may store: escapes and marks lengthen a text (protocol §15.4). */
export const STORED_MAX = 16_384;

/** Returns the text if it may be stored. Errors: 400 `message is too long`. */
export function stored(content: string): string {
  if (content.length > STORED_MAX) throw badRequest("message is too long");
  return content;
}
