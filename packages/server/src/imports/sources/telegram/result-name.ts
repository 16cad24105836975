/** Telegram Desktop writes everything into this file. */
export const RESULT = "result.json";
