import type { LanguageClaim, LanguageErrors, LanguageNotifications, LanguageTexts } from "./texts.ts";

/**
 * A language: its name, and how to load the files of its folder. What it lacks is shown in English. The server's bundler
 * knows which page needs which of these files (`server/src/web/bundle.ts`).
 */
interface LanguageParts {
  /** In the language itself. */
  readonly name: string;
  /** For `<html lang>`, if it is not the key. */
  readonly tag?: string;
  readonly texts?: () => Promise<LanguageTexts>;
  /** Also for the service worker. */
  readonly notifications?: () => Promise<LanguageNotifications>;
  readonly errors?: () => Promise<LanguageErrors>;
  readonly claim?: () => Promise<LanguageClaim>;
  /** The names of emoji and further words by which a search finds them (`emoji-lines.ts`). */
  readonly emoji?: () => Promise<string>;
}

const ALL = {
  // Its texts load with the code that shows them.
  en: { name: "English" },
  zh: {
    name: "中文",
    tag: "zh-Hans",
    texts: async () => (await import("./zh/texts.ts")).ZH_TEXTS,
    notifications: async () => (await import("./zh/notifications.ts")).ZH_NOTIFICATIONS,
    errors: async () => (await import("./zh/errors.ts")).ZH_ERRORS,
    claim: async () => (await import("./zh/claim.ts")).ZH_CLAIM,
    emoji: async () => (await import("./zh/emoji-names.ts")).ZH_EMOJI_NAMES,
  },
} satisfies Record<string, LanguageParts>;

/** The key of a language: its ISO 639-1 code, which the browser's wishes are compared with. */
export type Language = keyof typeof ALL;

/** The available languages. This file is the only one that lists them. */
export const LANGUAGES: Readonly<Record<Language, LanguageParts>> = ALL;
