import { STICKER_NAME_MAX } from "@parley/protocol/limits";
import { isBlank } from "../base/visible-text.ts";
import { fail } from "../errors.ts";
import { codePoint, invisibleCharacter, withoutInvisible } from "../unicode/name-characters.ts";

/** The name for a file without one. */
const NAMELESS = "sticker";

/**
 * Returns a sticker's name, 1 to 32 characters on one line: the given one, or one derived from the file name (protocol
 * §4). A blank name counts as absent, because forms send empty fields. Errors: `invalid_request`.
 */
export function stickerName(given: string | undefined, fileName: string): string {
  const name = given?.trim() ?? "";
  if (isBlank(name)) return nameOfFile(fileName);
  const invisible = invisibleCharacter(name);
  if ([...name].length > STICKER_NAME_MAX || invisible !== null) {
    const what = invisible === null ? "" : `; it contains ${codePoint(invisible)}`;
    const message = `must have 1 to ${STICKER_NAME_MAX} visible characters on one line${what}`;
    throw fail("invalid_request", { details: [{ path: "sticker_name", message }] });
  }
  return name;
}

/** Strips folders (sent by old browsers), the extension and invisible characters, and truncates the rest. */
function nameOfFile(fileName: string): string {
  const last = fileName.split(/[\\/]/).at(-1) ?? "";
  const visible = withoutInvisible(last.replace(/\.[^.]*$/, "").toWellFormed()).trim();
  return isBlank(visible) ? NAMELESS : [...visible].slice(0, STICKER_NAME_MAX).join("").trim();
}
