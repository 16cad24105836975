import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_SITE } from "./en.ts";
import { ZH_SITE } from "./zh.ts";

type SiteTexts = Translation<typeof EN_SITE>;

const TEXTS: Record<Language, SiteTexts> = { en: EN_SITE, zh: ZH_SITE };

/** Returns the texts of the settings of the site in the user's language. They load with the code that shows them. */
export const useSiteTexts = (): SiteTexts => TEXTS[useContext(LanguageContext)];
