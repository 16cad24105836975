import { useContext } from "react";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_PANEL } from "./panel-en.ts";
import { ZH_PANEL } from "./panel-zh.ts";

export type PanelTexts = Translation<typeof EN_PANEL>;

const TEXTS: Record<string, PanelTexts> = { en: EN_PANEL, zh: ZH_PANEL };

/** Returns the texts of the list of notifications and their settings in the user's language. */
export const usePanelTexts = (): PanelTexts => TEXTS[useContext(LanguageContext)] ?? EN_PANEL;
