import type { Clock } from "../clock.ts";

/** Letters and digits that cannot be confused when read aloud. */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;

/** Makes a user's own invite code, which new users enter at registration. It has 50 random bits, too many to guess. */
export function newInviteCode(clock: Clock): string {
  return Array.from({ length: LENGTH }, () => SYMBOLS[clock.randomBelow(SYMBOLS.length)]).join("");
}

/** Converts a typed code to its stored form. */
export function readInviteCode(text: string): string {
  return text.trim().toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
}
