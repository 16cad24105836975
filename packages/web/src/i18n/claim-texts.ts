import type { Language } from "../state/stored-preferences.ts";
import { EN_CLAIM } from "./en-claim.ts";
import { EN_REASONS } from "./en-errors.ts";
import type { Reasons } from "./error-message.ts";
import type { Like } from "./texts.ts";
import { ZH_CLAIM, ZH_CLAIM_PAGE } from "./zh-claim.ts";
import { ZH_REASONS } from "./zh-errors.ts";

/** All that the page at /claim says. */
export interface ClaimWords {
  readonly texts: Like<typeof EN_CLAIM>;
  readonly reasons: Reasons;
  /** In the place of what stands in claim.html. */
  readonly page: Readonly<Record<string, string>>;
}

export const CLAIM_WORDS: Readonly<Record<Language, ClaimWords>> = {
  en: { texts: EN_CLAIM, reasons: EN_REASONS, page: {} },
  zh: { texts: ZH_CLAIM, reasons: ZH_REASONS, page: ZH_CLAIM_PAGE },
};
