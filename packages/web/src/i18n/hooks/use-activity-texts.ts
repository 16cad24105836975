import { EN_ACTIVITY } from "../en/parts/activity.ts";
import type { Translation } from "../texts.ts";
import { textsHook } from "../use-texts.ts";

export type ActivityTexts = Translation<typeof EN_ACTIVITY>;

/** Returns the texts of agents' acts in the user's language. */
export const useActivityTexts = textsHook("activity", EN_ACTIVITY);
