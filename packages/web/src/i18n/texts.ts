import type { EN } from "./en/chat/chat.ts";
import type { EN_CLAIM } from "./en/claim.ts";
import type { EN_FILES } from "./en/parts/files.ts";
import type { EN_TEXTS } from "./en/texts.ts";
import type { EN_WINDOWS } from "./en/windows/windows.ts";
import type { ErrorTexts } from "./error-message.ts";

/** The same keys as the English texts, with the same parameters. */
export type Translation<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...of: infer A) => string
      ? (...of: A) => string
      : Translation<T[K]>;
};

/** The texts of a language, of which any may be missing. Missing texts are shown in English. */
export type PartialTexts<T> = {
  readonly [K in keyof T]?: T[K] extends string
    ? string
    : T[K] extends (...of: infer A) => string
      ? (...of: A) => string
      : PartialTexts<T[K]>;
};

/** The texts of the chat in the user's language. */
export type Texts = Translation<typeof EN> & {
  /** Returns the message to show for an error. */
  errorMessage(error: unknown): string;
};

/** The texts of windows and red packets. */
export type WindowTexts = Translation<typeof EN_WINDOWS>;

/** The texts of files. */
export type FileTexts = Translation<typeof EN_FILES>;

/** The English texts, by the features whose code they load with. */
export type EnglishTexts = typeof EN_TEXTS;

/** A language's texts of the chat. */
export type LanguageTexts = PartialTexts<Omit<EnglishTexts, "notifications">>;

/** A language's texts of single notifications. */
export type LanguageNotifications = PartialTexts<EnglishTexts["notifications"]>;

/** A language's texts of errors. */
export type LanguageErrors = Partial<Omit<ErrorTexts, "codes">> & { readonly codes: Partial<ErrorTexts["codes"]> };

/** A language's texts of the page at /claim. */
export interface LanguageClaim {
  readonly texts: PartialTexts<typeof EN_CLAIM>;
  /** Replaces the texts in claim.html, by `data-text`, and by `data-label` for screen readers. */
  readonly page: Readonly<Record<string, string>>;
}
