import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";

const EN = { pinnedBy: (name: string) => `Pinned by ${name}` };

const ZH: Translation<typeof EN> = { pinnedBy: (name: string) => `由 ${name} 置顶` };

const TEXTS: Record<Language, Translation<typeof EN>> = { en: EN, zh: ZH };

/** The texts of the list of pins, which load with it. */
export const usePinsTexts = () => TEXTS[useContext(LanguageContext)];
