import { EN_MAIL } from "../en/parts/mail.ts";
import type { Translation } from "../texts.ts";
import { textsHook } from "../use-texts.ts";

export type MailTexts = Translation<typeof EN_MAIL>;

/** Returns the texts of mails in the user's language. */
export const useMailTexts = textsHook("mail", EN_MAIL);
