import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import type { Language } from "../state/stored-preferences.ts";
import { EN_WINDOWS } from "./en-windows.ts";
import type { Translation } from "./texts.ts";
import { ZH_WINDOWS } from "./zh-windows.ts";

/** The texts of windows and red packets. They load with the windows' code, which keeps the chat itself small. */
export type WindowTexts = Translation<typeof EN_WINDOWS>;
const TEXTS: Record<Language, WindowTexts> = { en: EN_WINDOWS, zh: ZH_WINDOWS };

/** Returns the texts of windows and red packets in the user's language. */
export function useWindowTexts(): WindowTexts {
  return TEXTS[useStore(useParley().preferences.language)];
}
