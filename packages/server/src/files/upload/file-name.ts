import { FILE_NAME_MAX } from "@parley/protocol/file-limits";

/** Control characters, and those that turn or hide text: a name must not pretend to be another. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
const UNNAMED = "file";

/**
 * Returns the name under which a file is kept and shown: without a path, control, bidirectional and other invisible
 * characters, at most 200 characters. A long name keeps its extension. A name of which nothing is left becomes `file`.
 */
export function fileName(sent: string): string {
  const last = sent.normalize("NFC").replace(/^.*[/\\]/s, "");
  const name = last.replace(HIDDEN, "").replace(/\s+/gu, " ").trim();
  if (/^\.*$/.test(name)) return UNNAMED;
  const characters = [...name];
  if (characters.length <= FILE_NAME_MAX) return name;
  const extension = /\.[^. ]{1,16}$/.exec(name)?.[0] ?? "";
  return characters.slice(0, FILE_NAME_MAX - [...extension].length).join("") + extension;
}
