import { EN_CLAIM } from "./en/claim.ts";
import { EN_ERRORS } from "./en/errors.ts";
import type { ErrorTexts } from "./error-message.ts";
import { LANGUAGES, type Language } from "./languages.ts";
import type { LanguageClaim, Translation } from "./texts.ts";
import { withEnglish } from "./with-english.ts";

/** All texts of the page at /claim. */
export interface ClaimTexts {
  readonly texts: Translation<typeof EN_CLAIM>;
  readonly reasons: ErrorTexts;
  /** Replaces the texts in claim.html, which is in English. */
  readonly page: LanguageClaim["page"];
}

/** Returns the texts of the page at /claim in a language. What it lacks is in English. */
export async function loadClaimTexts(language: Language): Promise<ClaimTexts> {
  const { claim, errors } = LANGUAGES[language];
  const [own, reasons] = await Promise.all([claim?.(), errors?.()]);
  return {
    texts: withEnglish(EN_CLAIM, own?.texts ?? {}),
    reasons: withEnglish(EN_ERRORS, reasons ?? {}),
    page: own?.page ?? {},
  };
}
