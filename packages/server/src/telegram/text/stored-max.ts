/** Characters that a message of the Telegram door may store: escapes and marks lengthen a text (protocol §15.4). */
export const STORED_MAX = 16_384;
