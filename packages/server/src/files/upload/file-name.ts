import { FILE_NAME_MAX } from "@parley/protocol/file-limits";
import { JOINING } from "../../unicode/scripts.ts";

/** The joiners of emoji, also of those that lack a variation selector, and one after a letter that joins. */
const EMOJI = String.raw`\p{RGI_Emoji}|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`;
const JOINER = String.raw`(?<=${JOINING}\p{M}*)[\u200c\u200d]`;
/**
 * What stays, then control characters, and those that turn or hide text: a name must not pretend to be another. A joiner
 * that follows another does not follow a letter.
 */
const HIDDEN = new RegExp(`(${EMOJI}|${JOINER})|[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}]`, "gv");
/** What is left of an emoji that was cut in two. */
const CUT_END = /[\u200d\u{e0020}-\u{e007f}]+$/u;
const UNNAMED = "file";

/** Returns the text without control, bidirectional and other invisible characters except the joiners of emoji and words. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, "$1");

/**
 * Returns the name under which a file is kept and shown: without a path, control, bidirectional and other invisible
 * characters except the joiners of emoji and words, at most 200 characters. A long name keeps its extension. A name of which nothing is left becomes `file`.
 */
export function fileName(sent: string): string {
  const last = sent.normalize("NFC").replace(/^.*[/\\]/s, "");
  const name = withoutHidden(last).replace(/\s+/gu, " ").trim();
  if (/^\.*$/.test(name)) return UNNAMED;
  const characters = [...name];
  if (characters.length <= FILE_NAME_MAX) return name;
  const extension = /\.[^. ]{1,16}$/.exec(name)?.[0] ?? "";
  const begin = characters.slice(0, FILE_NAME_MAX - [...extension].length).join("");
  return begin.replace(CUT_END, "") + extension;
}
