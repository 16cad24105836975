import { EN_MESSAGE_ACTS } from "../en/parts/message-acts.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of what is done with a message from its menu, in the user's language. */
export const useMessageActsTexts = textsHook("messageActs", EN_MESSAGE_ACTS);
