import { EN_STICKERS } from "../en/parts/stickers.ts";
import { textsHook } from "../use-texts.ts";

/** Returns the texts of the window of stickers in the user's language. */
export const useStickerTexts = textsHook("stickers", EN_STICKERS);
