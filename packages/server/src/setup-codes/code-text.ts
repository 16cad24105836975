import { SETUP_PATH } from "@parley/protocol/setup-codes";
import type { Clock } from "../clock.ts";

/** Crockford's 32 symbols: without I, L, O, which are misread, and U. */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Symbols of five bits each. */
const LENGTH = 12;
const CODE = /^[0-9A-HJKMNP-TV-Z]{12}$/;

/** Makes a new code in its stored form, without hyphens: 60 random bits. */
export const makeCode = (clock: Pick<Clock, "random">): string =>
  // 256 is a multiple of 32, so every symbol is equally likely.
  Array.from(clock.random(LENGTH), (byte) => SYMBOLS.charAt(byte % SYMBOLS.length)).join("");

/** Formats a code for people: `XXXX-XXXX-XXXX`. */
export const shownCode = (code: string): string => code.replaceAll(/.{4}(?=.)/g, "$&-");

/**
 * Parses a typed code into its stored form; returns null if it cannot be one. Case, spaces and hyphens do not count. As in Crockford's
 * alphabet, O is 0, I and L are 1.
 */
export function readSetupCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return CODE.test(code) ? code : null;
}

/** The stored hash. SHA-256 is enough: the code has 60 random bits and ends after ten minutes. */
export const hashCode = (code: string): string => Bun.SHA256.hash(code, "hex");

/** Returns the address of the page that explains the code. The fragment is not sent to servers, so it is in no log. */
export const setupUrl = (origin: string, code: string): string => `${origin}${SETUP_PATH}#${shownCode(code)}`;
