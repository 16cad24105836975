import { EN_NOTIFICATIONS } from "../en/notifications.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of single notifications in the user's language. */
export const useNotificationTexts = textsHook("notifications", EN_NOTIFICATIONS);
