import type { UpdateUserBody } from "@parley/protocol/accounts";
import { STATUS_DAYS_MAX, STATUS_TEXT_MAX, type UserStatus } from "@parley/protocol/profiles";
import { isoTime } from "../../base/iso-time.ts";
import { isBlank } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import { codePoint, hasStackedMarks, invisibleCharacter } from "../../unicode/name-characters.ts";

/** A status as it is stored. */
export interface StoredStatus {
  status_emoji: string | null;
  status_text: string | null;
  status_until: number | null;
}

export const NO_STATUS: StoredStatus = { status_emoji: null, status_text: null, status_until: null };

const DAY_MS = 24 * 3_600_000;
const EMOJI = /^\p{RGI_Emoji}$/v;

/** Returns a status as it is stored; null clears it. @throws invalid_status */
export function statusOf(input: NonNullable<UpdateUserBody["status"]> | null, now: number): StoredStatus {
  if (input === null) return NO_STATUS;
  return {
    status_emoji: emojiOf(input.emoji ?? null),
    status_text: textOf(input.text),
    status_until: input.expires_at == null ? null : endOf(input.expires_at, now),
  };
}

function textOf(text: string): string {
  const line = text.normalize("NFC").trim();
  if (isBlank(line) || [...line].length > STATUS_TEXT_MAX)
    throw invalid("text", `must have 1 to ${STATUS_TEXT_MAX} characters`);
  // Among them are line breaks and marks of direction.
  const invisible = invisibleCharacter(line);
  if (invisible !== null) throw invalid("text", `must not contain ${codePoint(invisible)}, which is invisible`);
  if (hasStackedMarks(line)) throw invalid("text", "must have few marks on each letter");
  return line;
}

function emojiOf(emoji: string | null): string | null {
  if (emoji === null || (EMOJI.test(emoji) && invisibleCharacter(emoji) === null)) return emoji;
  throw invalid("emoji", "must be one emoji");
}

function endOf(text: string, now: number): number {
  const end = Date.parse(text);
  if (end > now && end <= now + STATUS_DAYS_MAX * DAY_MS) return end;
  throw invalid("expires_at", `must be a time within the next ${STATUS_DAYS_MAX} days`);
}

const invalid = (field: string, message: string) =>
  fail("invalid_status", { details: [{ path: `status.${field}`, message }] });

/** Returns the status on the wire; null if there is none, or if it has ended. */
export function shownStatus({ status_emoji, status_text, status_until }: StoredStatus, now: number): UserStatus | null {
  if (status_text === null || (status_until !== null && status_until <= now)) return null;
  return {
    emoji: status_emoji,
    text: status_text,
    expires_at: status_until === null ? null : isoTime(status_until),
  };
}
