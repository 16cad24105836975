import type { MailLanguage } from "@parley/protocol/mail";
import { EN_TEXTS } from "./en.ts";
import { ES_TEXTS } from "./es.ts";
import type { MailTexts } from "./mail-texts.ts";
import { ZH_TEXTS } from "./zh.ts";

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en: EN_TEXTS, zh: ZH_TEXTS, es: ES_TEXTS };

export const textsIn = (language: MailLanguage): MailTexts => TEXTS[language];

/** Returns a time for people who may be anywhere: in UTC, and saying so. */
export const momentIn = (language: MailLanguage, at: number): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })
    .format(at)
    .concat(" UTC");
