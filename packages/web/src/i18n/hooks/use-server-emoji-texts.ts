import { EN_SERVER_EMOJI } from "../en/parts/server-emoji.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the server's own emoji in the user's language. */
export const useServerEmojiTexts = textsHook("serverEmoji", EN_SERVER_EMOJI);
