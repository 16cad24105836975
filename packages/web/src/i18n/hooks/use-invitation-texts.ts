import { EN_INVITATIONS } from "../en/parts/invitations.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of invitations in the user's language. */
export const useInvitationTexts = textsHook("invitations", EN_INVITATIONS);
