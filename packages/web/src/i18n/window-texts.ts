import { useContext } from "react";
import { EN_WINDOWS } from "./en-windows.ts";
import type { Language } from "./languages.ts";
import type { WindowTexts } from "./texts.ts";
import { LanguageContext } from "./use-texts.ts";
import { ZH_WINDOWS } from "./zh-windows.ts";

const TEXTS: Record<Language, WindowTexts> = { en: EN_WINDOWS, zh: ZH_WINDOWS };

/** Returns the texts of windows and red packets in the user's language. */
export function useWindowTexts(): WindowTexts {
  return TEXTS[useContext(LanguageContext)];
}
