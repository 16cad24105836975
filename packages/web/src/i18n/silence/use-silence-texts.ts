import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_SILENCE } from "./en.ts";
import { ZH_SILENCE } from "./zh.ts";

export type SilenceTexts = Translation<typeof EN_SILENCE>;

const TEXTS: Record<Language, SilenceTexts> = { en: EN_SILENCE, zh: ZH_SILENCE };

/** Returns the texts about silent agents in the user's language. They load with the code that shows them. */
export const useSilenceTexts = (): SilenceTexts => TEXTS[useContext(LanguageContext)];
