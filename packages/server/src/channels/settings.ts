import { CHANNEL_NAME_MAX } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { isBlank } from "../messages/blank.ts";

/** A name as it is stored: without blanks at its ends, visible, on one line. Errors: `invalid_channel_name`. */
export function channelName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (isBlank(name) || length > CHANNEL_NAME_MAX || !VISIBLE.test(name)) throw fail("invalid_channel_name");
  return name;
}

/** No control characters, line breaks or directions, and something that is not a mere mark or joiner. */
const VISIBLE = /^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u;
