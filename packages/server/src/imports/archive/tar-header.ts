/** Bytes of a header, and the unit of everything in a tar file. */
export const BLOCK = 512;

/** A header of a tar file, as it is written there. */
export interface TarHeader {
  /** The bytes of the name: what these are in is checked later. */
  readonly name: Uint8Array;
  readonly size: number;
  /** One character: `0` is a file, `5` a folder, `1` and `2` are links. */
  readonly type: string;
  readonly checksum: number;
}

const SPACE = 0x20;
const [NAME, SIZE, CHECKSUM, TYPE, MAGIC, PREFIX] = [
  [0, 100],
  [124, 136],
  [148, 156],
  [156, 157],
  [257, 262],
  [345, 500],
] as const;

/** Returns true if a file begins with the header of a tar file. */
export const isTar = (block: Uint8Array): boolean => latin(block, MAGIC) === "ustar";

/** Reads a header. Returns null for a block of zeros, which ends a tar file, and undefined if it is no header. */
export function headerOf(block: Uint8Array): TarHeader | null | undefined {
  if (block.every((byte) => byte === 0)) return null;
  const [size, checksum] = [numberOf(block, SIZE), numberOf(block, CHECKSUM)];
  if (size === undefined || checksum !== sumOf(block)) return undefined;
  const [name, prefix] = [textBytes(block, NAME), textBytes(block, PREFIX)];
  // GNU's own format ends its magic with spaces, and has times in the place of the prefix.
  const hasPrefix = isTar(block) && block[MAGIC[1]] === 0 && prefix.length > 0;
  const type = latin(block, TYPE);
  return { name: hasPrefix ? Buffer.concat([prefix, Buffer.from("/"), name]) : name, size, type, checksum };
}

/** A checksum is that of the header with spaces in its own place. */
function sumOf(block: Uint8Array): number {
  const [from, to] = CHECKSUM;
  return block.reduce((sum, byte, at) => sum + (at >= from && at < to ? SPACE : byte), 0);
}

function textBytes(block: Uint8Array, [from, to]: readonly [number, number]): Uint8Array {
  const end = block.indexOf(0, from);
  return block.slice(from, end < 0 || end > to ? to : end);
}

const latin = (block: Uint8Array, [from, to]: readonly [number, number]): string =>
  Buffer.from(block.subarray(from, to)).toString("latin1");

/** Numbers are octal text, or bytes after one with the highest bit. */
function numberOf(block: Uint8Array, range: readonly [number, number]): number | undefined {
  const [from, to] = range;
  if (block[from] === 0x80) {
    const number = block.subarray(from + 1, to).reduce((sum, byte) => sum * 256 + byte, 0);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const text = latin(block, range)
    .replace(/[\0 ]+$/, "")
    .trimStart();
  return /^[0-7]{0,12}$/.test(text) ? Number.parseInt(text || "0", 8) : undefined;
}

/** Returns the records of an extended header (`<length> <name>=<value>\n`); undefined if they are damaged. */
export function recordsOf(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  const records = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const [, digits = "", name = ""] = /^(\d{1,9}) ([^=\0]{1,200})=/.exec(latin(bytes, [at, at + 220])) ?? [];
    const end = at + Number(digits);
    const value = at + digits.length + 1 + name.length + 1;
    if (name === "" || end > bytes.length || value >= end || bytes[end - 1] !== 0x0a) return undefined;
    records.set(name, bytes.subarray(value, end - 1));
    at = end;
  }
  return records;
}
