import { EN_WINDOWS } from "../en/windows/windows.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of windows and red packets in the user's language. */
export const useWindowTexts = textsHook("windows", EN_WINDOWS);
