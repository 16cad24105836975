import type { Translation } from "../texts.ts";
import { EN_NOTIFICATIONS } from "./en.ts";
import { ZH_NOTIFICATIONS } from "./zh.ts";

export type NotificationTexts = Translation<typeof EN_NOTIFICATIONS>;

const TEXTS: Record<string, NotificationTexts> = { en: EN_NOTIFICATIONS, zh: ZH_NOTIFICATIONS };

/** Returns the texts of notifications in a language, or else in English. */
export const notificationTexts = (language: string): NotificationTexts => TEXTS[language] ?? EN_NOTIFICATIONS;

/** A notice of the server, whose later versions may have other codes. */
export interface ToldNotice {
  code: string;
  subject: string | null;
}

/** Returns what happened, in one line. */
export function noticeTitle({ code, subject }: ToldNotice, texts: NotificationTexts): string {
  const known: Record<string, (subject: string) => string> = texts.notices;
  return (Object.hasOwn(known, code) ? known[code]?.(subject ?? "") : undefined) ?? texts.notice;
}
