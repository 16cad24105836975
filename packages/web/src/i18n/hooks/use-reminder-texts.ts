import { EN_REMINDERS } from "../en/parts/reminders.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of reminders in the user's language. */
export const useReminderTexts = textsHook("reminders", EN_REMINDERS);
