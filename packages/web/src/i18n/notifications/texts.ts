import type { Translation } from "../texts.ts";
import { EN_NOTIFICATIONS } from "./en.ts";
import { ZH_NOTIFICATIONS } from "./zh.ts";

export type NotificationTexts = Translation<typeof EN_NOTIFICATIONS>;

const TEXTS: Record<string, NotificationTexts> = { en: EN_NOTIFICATIONS, zh: ZH_NOTIFICATIONS };

/** Returns the texts of notifications in a language, or else in English. */
export const notificationTexts = (language: string): NotificationTexts => TEXTS[language] ?? EN_NOTIFICATIONS;
