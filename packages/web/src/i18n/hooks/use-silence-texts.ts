import { EN_SILENCE } from "../en/parts/silence.ts";
import type { Translation } from "../texts.ts";
import { textsHook } from "../use-texts.ts";

export type SilenceTexts = Translation<typeof EN_SILENCE>;

/** Returns the texts of silent agents in the user's language. */
export const useSilenceTexts = textsHook("silence", EN_SILENCE);
