import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_FACTORS } from "./en.ts";
import { ZH_FACTORS } from "./zh.ts";

type FactorTexts = Translation<typeof EN_FACTORS>;

const TEXTS: Record<Language, FactorTexts> = { en: EN_FACTORS, zh: ZH_FACTORS };

/** Returns the texts of second factors and passkeys in the user's language. They load with the code that shows them. */
export const useFactorTexts = (): FactorTexts => TEXTS[useContext(LanguageContext)];
