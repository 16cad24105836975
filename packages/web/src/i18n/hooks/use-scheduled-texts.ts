import { EN_SCHEDULED } from "../en/parts/scheduled.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of scheduled messages in the user's language. */
export const useScheduledTexts = textsHook("scheduled", EN_SCHEDULED);
