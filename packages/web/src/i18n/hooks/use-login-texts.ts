import { EN_LOGINS } from "../en/parts/logins.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the login dialog and of linked logins in the user's language. */
export const useLoginTexts = textsHook("logins", EN_LOGINS);
