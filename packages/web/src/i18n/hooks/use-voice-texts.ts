import { EN_VOICE } from "../en/parts/voice.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of voice notes in the user's language. */
export const useVoiceTexts = textsHook("voice", EN_VOICE);
