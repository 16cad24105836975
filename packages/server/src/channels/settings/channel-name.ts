import { CHANNEL_NAME_MAX } from "@parley/protocol/limits";
import { isBlank } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import { nameProblem } from "../../unicode/name-characters.ts";

/**
 * Normalizes a name for storage: NFC, trimmed, one line, only visible characters of one script (protocol §3). Errors:
 * `invalid_channel_name`, whose details name the rule.
 */
export function channelName(text: string): string {
  const name = text.trim().normalize("NFC");
  const problem =
    isBlank(name) || [...name].length > CHANNEL_NAME_MAX ? FORM : (nameProblem(name) ?? markProblem(name));
  if (problem !== null) throw fail("invalid_channel_name", { details: [{ path: "name", ...problem }] });
  return name;
}

const FORM = { rule: "form", message: `must have 1 to ${CHANNEL_NAME_MAX} characters, not only spaces` };

/** A name must contain more than combining marks. */
const markProblem = (name: string): typeof FORM | null => (/[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? null : FORM);
