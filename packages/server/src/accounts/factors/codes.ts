import { RECOVERY_CODES } from "@parley/protocol/factors";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import type { Clock } from "../../clock.ts";

/** All authenticator apps support these values (RFC 6238). Some apps ignore others. */
const FORM = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** 160 bits, the length that RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Steps by which a phone's clock may be off. */
const WINDOW = 1;

const SIX_DIGITS = /^\d{6}$/;

/** Removes what people add to a code for reading: spaces and dashes. */
const plainCode = (code: string): string => code.replace(/[\s-]/g, "");

/** True if the code has the form of an authenticator app's. */
export const isTotpCode = (code: string): boolean => SIX_DIGITS.test(plainCode(code));

/** Returns a new secret in base32. */
export const newSecret = (clock: Clock): string =>
  new Secret({ buffer: Uint8Array.from(clock.random(SECRET_BYTES)).buffer }).base32;

/** Returns the address with which an authenticator app takes over the secret. */
export const otpauthUrl = (secret: string, issuer: string, label: string): string =>
  new TOTP({ ...FORM, issuer, label, secret: Secret.fromBase32(secret) }).toString();

/** Returns a QR code as an SVG image. It has a white border of its own, so that it can be read on a dark page. */
export const qrSvg = (text: string): string => renderSVG(text, { ecc: "M", border: 2 });

/** Returns the step to which a code belongs: the current one, the one before or the one after; null if to none. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const form = { ...FORM, secret: Secret.fromBase32(secret) };
  const token = plainCode(code);
  if (!SIX_DIGITS.test(token)) return null;
  const delta = TOTP.validate({ ...form, token, timestamp: now, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: FORM.period, timestamp: now }) + delta;
}

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
