import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import type { Language } from "../state/stored-preferences.ts";
import { EN_WINDOWS } from "./en-windows.ts";
import type { Translation } from "./texts.ts";
import { ZH_WINDOWS } from "./zh-windows.ts";

/** What the windows and packets say; comes with their code, so that the chat itself stays small. */
export type WindowTexts = Translation<typeof EN_WINDOWS>;
const TEXTS: Record<Language, WindowTexts> = { en: EN_WINDOWS, zh: ZH_WINDOWS };

/** The texts of windows and packets, in the person's language. */
export function useWindowTexts(): WindowTexts {
  return TEXTS[useStore(useParley().preferences.language)];
}
