import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_AT_WORK } from "./en.ts";
import { ZH_AT_WORK } from "./zh.ts";

type AtWorkTexts = Translation<typeof EN_AT_WORK>;

const TEXTS: Record<Language, AtWorkTexts> = { en: EN_AT_WORK, zh: ZH_AT_WORK };

/** Returns the texts about what agents do in the user's language. They load with the code that shows them. */
export const useAtWorkTexts = (): AtWorkTexts => TEXTS[useContext(LanguageContext)];
