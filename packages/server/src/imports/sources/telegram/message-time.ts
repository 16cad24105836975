import type { Millis } from "../../../db/columns.ts";
import type { Fields } from "../fields.ts";
import { isoTime } from "../iso-time.ts";
import { numberOf } from "./peers.ts";

/** Returns when a message was sent or (`edited`) changed; undefined if it does not say it, or not as a time. */
export function messageTime(message: Fields, zone: string, field: "date" | "edited" = "date"): Millis | undefined {
  const seconds = numberOf(message, `${field}_unixtime`);
  return seconds === "" ? isoTime(message[field], zone) : Number(seconds) * 1000;
}

/** True if a message says its time in seconds, or with a zone. Exports before 2021 have the time of the computer. */
export const hasZone = (message: Fields): boolean =>
  numberOf(message, "date_unixtime") !== "" || /(?:Z|[+-]\d\d:?\d\d)$/i.test(String(message.date));
