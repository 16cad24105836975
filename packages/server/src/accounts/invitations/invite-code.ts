import type { Clock } from "../../clock.ts";

/** Letters and digits that cannot be confused when read aloud. */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** A user's own code has 50 random bits, too many to guess. */
const OWN_LENGTH = 10;
/** The code of an invitation is longer, so that it is never another user's own code. */
const INVITATION_LENGTH = 12;

const made = (clock: Clock, length: number): string =>
  Array.from({ length }, () => SYMBOLS[clock.randomBelow(SYMBOLS.length)]).join("");

/** Makes a user's own invite code, which new users enter at registration. */
export const newInviteCode = (clock: Clock): string => made(clock, OWN_LENGTH);

/** Makes the code of an invitation. */
export const newInvitationCode = (clock: Clock): string => made(clock, INVITATION_LENGTH);

/** Converts a typed code to its stored form. */
export function readInviteCode(text: string): string {
  return text.trim().toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
}
