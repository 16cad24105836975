import { useContext } from "react";
import type { Language } from "../languages.ts";
import type { Translation } from "../texts.ts";
import { LanguageContext } from "../use-texts.ts";
import { EN_INVITATIONS } from "./en.ts";
import { ZH_INVITATIONS } from "./zh.ts";

type InvitationTexts = Translation<typeof EN_INVITATIONS>;

const TEXTS: Record<Language, InvitationTexts> = { en: EN_INVITATIONS, zh: ZH_INVITATIONS };

/** Returns the texts of invitations in the user's language. They load with the code that shows them. */
export const useInvitationTexts = (): InvitationTexts => TEXTS[useContext(LanguageContext)];
