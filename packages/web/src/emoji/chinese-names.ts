import { chineseLines } from "./build-names.ts" with { type: "macro" };

/** The Chinese names of `ALL_EMOJI`, line by line. */
export const CHINESE_NAMES: string = chineseLines();
