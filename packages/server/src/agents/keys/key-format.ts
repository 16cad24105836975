import type { Clock } from "../../clock.ts";

/**
 * The text of an API key (protocol §5): `ply_<id>_<secret><checksum>`. 43 symbols of 62 hold 256 bits. The checksum
 * covers everything before it, so typos, truncated keys and a scanner's false positives are rejected without a database
 * query.
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

/** A parsed key with a valid checksum. */
export interface ParsedKey {
  id: string;
  secret: string;
  checksum: string;
}

/** Makes a new key. The whole text is shown once; only `id` and the hash of `secret` are stored. */
export function makeKey(clock: Pick<Clock, "randomBelow">): { id: string; secret: string; text: string } {
  const id = randomText(clock, ID_LENGTH);
  const secret = randomText(clock, SECRET_LENGTH);
  const body = `${PREFIX}${id}_${secret}`;
  return { id, secret, text: body + checksum(body) };
}

/** Parses a key; returns null if the text cannot be one. */
export function parseKey(text: string): ParsedKey | null {
  if (text.length !== KEY_LENGTH || !KEY.test(text)) return null;
  const key = cutKey(text, 0);
  return checksum(text.slice(0, SECRET_END)) === key.checksum ? key : null;
}

/** Splits a text at the place of a key without checking it: for a known key that is compared next. */
export function cutKey(text: string, from: number): ParsedKey {
  return {
    id: text.slice(from + PREFIX.length, from + PREFIX.length + ID_LENGTH),
    secret: text.slice(from + SECRET_START, from + SECRET_END),
    checksum: text.slice(from + SECRET_END),
  };
}

/** True if the fixed symbols of a key are in their places. */
export function hasKeyMarks(text: string, from: number): boolean {
  return text.startsWith(PREFIX, from) && text.charAt(from + SECRET_START - 1) === "_";
}

/** Returns the key id from an id, the prefix that lists show, or a whole key; null for anything else. */
export function keyIdOf(text: string): string | null {
  const whole = parseKey(text);
  if (whole !== null) return whole.id;
  return /^(?:ply_)?([0-9A-Za-z]{12})$/.exec(text)?.[1] ?? null;
}

/** Returns the form in which lists show a key. */
export function keyPrefix(id: string): string {
  return PREFIX + id;
}

export const HASH_BYTES = 32;

/** SHA-256 is enough: the secret is 256 random bits and cannot be guessed. */
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
