import { EN_MEMBER_ACTS } from "../en/parts/member-acts.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of what one does with members, in the user's language. */
export const useMemberActsTexts = textsHook("memberActs", EN_MEMBER_ACTS);
