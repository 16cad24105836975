import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_WRITING } from "./en.ts";
import { ZH_WRITING } from "./zh.ts";

export type WritingTexts = Translation<typeof EN_WRITING>;

const TEXTS: Record<Language, WritingTexts> = { en: EN_WRITING, zh: ZH_WRITING };

/** Returns the texts of what the composer offers in the user's language. They load with the code that shows them. */
export const useWritingTexts = (): WritingTexts => TEXTS[useContext(LanguageContext)];
