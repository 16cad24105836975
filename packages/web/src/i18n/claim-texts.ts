import { EN_CLAIM } from "./en-claim.ts";
import { EN_ERRORS } from "./en-errors.ts";
import type { ErrorTexts } from "./error-message.ts";
import type { Language } from "./languages.ts";
import type { Translation } from "./texts.ts";
import { ZH_CLAIM, ZH_CLAIM_PAGE } from "./zh-claim.ts";
import { ZH_ERRORS } from "./zh-errors.ts";

/** All texts of the page at /claim. */
export interface ClaimTexts {
  readonly texts: Translation<typeof EN_CLAIM>;
  readonly reasons: ErrorTexts;
  /** Replaces the texts in claim.html. */
  readonly page: Readonly<Record<string, string>>;
}

export const CLAIM_TEXTS: Readonly<Record<Language, ClaimTexts>> = {
  en: { texts: EN_CLAIM, reasons: EN_ERRORS, page: {} },
  zh: { texts: ZH_CLAIM, reasons: ZH_ERRORS, page: ZH_CLAIM_PAGE },
};
