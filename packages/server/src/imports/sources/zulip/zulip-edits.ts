import type { Millis } from "../../../db/columns.ts";
import { type Fields, fieldsOf, textOf } from "../fields.ts";
import { timeOf } from "./zulip-fields.ts";

export interface Edits {
  /** When the text was changed last; null if it was not. */
  readonly editedAt: Millis | null;
  /** How many earlier texts the export has. */
  readonly earlier: number;
}

const EDITS_MAX = 10_000;

/** Reads the edits of a message. A message that was only moved to another topic has a time of its last edit, too. */
export function editsOf(message: Fields, now: Millis): Edits {
  const last = timeOf(message, "last_edit_time");
  const history = historyOf(message);
  const texts = history.filter((edit) => typeof edit.prev_content === "string");
  if (history.length > 0 && texts.length === 0) return { editedAt: null, earlier: 0 };
  const times = texts.map((edit) => timeOf(edit, "timestamp")).filter((time) => time !== null);
  const edited = times.length > 0 ? times.reduce((one, other) => Math.max(one, other), 0) : last;
  // A clock that was wrong never makes an edit of the future.
  return { editedAt: edited === null || edited < 0 ? null : Math.min(edited, now), earlier: texts.length };
}

/** The history is JSON in a text, or a list. */
function historyOf(message: Fields): Fields[] {
  const written = message.edit_history;
  let value: unknown = written;
  if (typeof written === "string") {
    try {
      value = JSON.parse(textOf(message, "edit_history") || "[]");
    } catch {
      return [];
    }
  }
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, EDITS_MAX)
    .map(fieldsOf)
    .filter((edit) => edit !== undefined);
}
