import { EN_EMOJI } from "../en/parts/emoji.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the picker of emoji in the user's language. */
export const useEmojiTexts = textsHook("emoji", EN_EMOJI);
