import { EN_NOTIFICATIONS } from "./en/notifications.ts";
import { LANGUAGES, type Language } from "./languages.ts";
import type { NotificationTexts } from "./notification-texts.ts";
import { withEnglish } from "./with-english.ts";

/** Returns the texts of the service worker, which is one script with all languages. Missing texts are in English. */
export async function workerTexts(language: string): Promise<NotificationTexts> {
  const known: Readonly<Record<string, (typeof LANGUAGES)[Language] | undefined>> = LANGUAGES;
  return withEnglish<NotificationTexts>(EN_NOTIFICATIONS, await known[language]?.notifications?.());
}
