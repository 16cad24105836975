import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_ACTIVITY } from "./en.ts";
import { ZH_ACTIVITY } from "./zh.ts";

export type ActivityTexts = Translation<typeof EN_ACTIVITY>;

const TEXTS: Record<Language, ActivityTexts> = { en: EN_ACTIVITY, zh: ZH_ACTIVITY };

/** Returns the texts about agents' acts in the user's language. They load with the code that shows them. */
export const useActivityTexts = (): ActivityTexts => TEXTS[useContext(LanguageContext)];
