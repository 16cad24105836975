import { EN_CARDS } from "../en/parts/cards.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of cards in the user's language. */
export const useCardTexts = textsHook("cards", EN_CARDS);
