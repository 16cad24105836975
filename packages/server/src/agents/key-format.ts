import type { Clock } from "../clock.ts";

/**
 * The text of an API key (protocol §5): `ply_<id>_<secret><checksum>`.
 * 43 symbols of 62 hold 256 bits. The checksum covers all that stands before it, so a typo, a cut or a scanner's false find is
 * told from a real key without asking the database.
 */
const PREFIX = "ply_";
const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const SECRET_START = PREFIX.length + ID_LENGTH + 1;
const SECRET_END = SECRET_START + SECRET_LENGTH;
export const KEY_LENGTH = SECRET_END + CHECKSUM_LENGTH;
const KEY = /^ply_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/;

/** A key taken apart; the checksum was right. */
export interface ParsedKey {
  id: string;
  secret: string;
  checksum: string;
}

/** A new key. The whole text is shown once; only `id` and the hash of `secret` are kept. */
export function makeKey(clock: Pick<Clock, "randomBelow">): { id: string; secret: string; text: string } {
  const id = randomText(clock, ID_LENGTH);
  const secret = randomText(clock, SECRET_LENGTH);
  const body = `${PREFIX}${id}_${secret}`;
  return { id, secret, text: body + checksum(body) };
}

/** Reads a key; null when it cannot be one. */
export function parseKey(text: string): ParsedKey | null {
  if (text.length !== KEY_LENGTH || !KEY.test(text)) return null;
  const key = cutKey(text, 0);
  return checksum(text.slice(0, SECRET_END)) === key.checksum ? key : null;
}

/** The parts of a text that stands where a key is expected, unchecked: for a key that is known and compared next. */
export function cutKey(text: string, from: number): ParsedKey {
  return {
    id: text.slice(from + PREFIX.length, from + PREFIX.length + ID_LENGTH),
    secret: text.slice(from + SECRET_START, from + SECRET_END),
    checksum: text.slice(from + SECRET_END),
  };
}

/** Do the fixed symbols of a key stand where they should? */
export function hasKeyMarks(text: string, from: number): boolean {
  return text.startsWith(PREFIX, from) && text.charAt(from + SECRET_START - 1) === "_";
}

/** What people name a key by: its id, its prefix as lists show it, or the whole key. Null when it is none of them. */
export function keyIdOf(text: string): string | null {
  const whole = parseKey(text);
  if (whole !== null) return whole.id;
  return /^(?:ply_)?([0-9A-Za-z]{12})$/.exec(text)?.[1] ?? null;
}

/** How lists show a key. */
export function keyPrefix(id: string): string {
  return PREFIX + id;
}

export const HASH_BYTES = 32;

/** SHA-256 is enough: the secret is 256 random bits, there is nothing to guess. */
export function hashSecret(secret: string, into: Buffer = Buffer.alloc(HASH_BYTES)): Buffer {
  Bun.SHA256.hash(secret, into);
  return into;
}

function checksum(body: string): string {
  let rest = Bun.hash.crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomText(clock: Pick<Clock, "randomBelow">, length: number): string {
  let text = "";
  while (text.length < length) text += ALPHABET.charAt(clock.randomBelow(ALPHABET.length));
  return text;
}
