import { STICKER_NAME_MAX } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { isBlank } from "../messages/blank.ts";

/** Control characters, line breaks, and what turns the direction of the text around it. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** A name for a file that gives none. */
const NAMELESS = "sticker";

/**
 * The name of a sticker, 1 to 32 characters on one line: the one that was given, or one made of the file's name (contract, section 4). A
 * blank one counts as none, because forms send empty fields. Errors: `invalid_request`.
 */
export function stickerName(given: string | undefined, fileName: string): string {
  const name = given?.trim() ?? "";
  if (isBlank(name)) return nameOfFile(fileName);
  if ([...name].length > STICKER_NAME_MAX || INVISIBLE.test(name)) {
    const message = `must have 1 to ${STICKER_NAME_MAX} characters, on one line`;
    throw fail("invalid_request", { details: [{ path: "sticker_name", message }] });
  }
  return name;
}

/** Without folders (old browsers sent them), ending and what cannot be seen; cut to what fits. */
function nameOfFile(fileName: string): string {
  const last = fileName.split(/[\\/]/).at(-1) ?? "";
  const visible = last
    .replace(/\.[^.]*$/, "")
    .toWellFormed()
    .replace(ALL_INVISIBLE, "")
    .trim();
  return isBlank(visible) ? NAMELESS : [...visible].slice(0, STICKER_NAME_MAX).join("").trim();
}
