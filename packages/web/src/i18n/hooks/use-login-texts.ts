import { EN_LOGIN } from "../en/parts/login.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the window in which people log in and register, in the user's language. */
export const useLoginTexts = textsHook("login", EN_LOGIN);
