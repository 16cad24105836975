import { EN_PANEL } from "../en/parts/panel.ts";
import type { Translation } from "../texts.ts";
import { textsHook } from "../use-texts.ts";

export type PanelTexts = Translation<typeof EN_PANEL>;

/** Returns the texts of the list of notifications and their settings in the user's language. */
export const usePanelTexts = textsHook("panel", EN_PANEL);
