import type { EN_NOTIFICATIONS } from "./en/notifications.ts";
import type { Translation } from "./texts.ts";

export type NotificationTexts = Translation<typeof EN_NOTIFICATIONS>;

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
