import type { Clock } from "../clock.ts";

/** Letters and digits that are not mistaken for one another when read aloud. */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;

/** A user's own code, which a new user names at registration. 50 random bits: nobody guesses one. */
export function newInviteCode(clock: Clock): string {
  return Array.from({ length: LENGTH }, () => SYMBOLS[clock.randomBelow(SYMBOLS.length)]).join("");
}

/** A code as somebody typed it, as it is stored. */
export function readInviteCode(text: string): string {
  return text.trim().toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
}
