import { RECOVERY_CODES } from "@parley/protocol/factors";
import type { Clock } from "../../clock.ts";
import { plainCode } from "./totp.ts";

/** Without the characters that are easily confused: 0 and o, 1, i and l, and u and v. */
const ALPHABET = "23456789abcdefghjkmnpqrstwxyz";
/** 16 characters have 77 bits, so that no hash of one can be reversed by trying. */
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Returns new recovery codes, such as `k7pm-2xqa-9wtd-hc3f`. */
export const newRecoveryCodes = (clock: Clock): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: GROUPS }, () => group(clock)).join("-"));

const group = (clock: Clock): string =>
  Array.from({ length: GROUP_LENGTH }, () => ALPHABET[clock.randomBelow(ALPHABET.length)]).join("");

/** Returns the hash by which a code is stored. Case, spaces and dashes do not matter. */
export const recoveryHash = (code: string): string => Bun.SHA256.hash(plainCode(code).toLowerCase(), "hex");
