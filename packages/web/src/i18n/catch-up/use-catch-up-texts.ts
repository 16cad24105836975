import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_CATCH_UP } from "./en.ts";
import { ZH_CATCH_UP } from "./zh.ts";

const TEXTS: Record<Language, Translation<typeof EN_CATCH_UP>> = { en: EN_CATCH_UP, zh: ZH_CATCH_UP };

/** Returns the texts of Catch up in the user's language. They load with the code that shows them. */
export const useCatchUpTexts = (): Translation<typeof EN_CATCH_UP> => TEXTS[useContext(LanguageContext)];
