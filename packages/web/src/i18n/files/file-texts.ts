import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { FileTexts } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_FILES } from "./en.ts";
import { ZH_FILES } from "./zh.ts";

const TEXTS: Record<Language, FileTexts> = { en: EN_FILES, zh: ZH_FILES };

/** Returns the texts of files in the user's language. */
export function useFileTexts(): FileTexts {
  return TEXTS[useContext(LanguageContext)];
}
