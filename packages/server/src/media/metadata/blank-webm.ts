import { isEmpty } from "./blank-mp4.ts";

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TAGS = 0x1254c367;
const ATTACHMENTS = 0x1941a469;
const VOID = 0xec;
const ELEMENTS_MAX = 200_000;

interface Element {
  id: number;
  content: number;
  /** null: unknown, as in files that were recorded live. */
  size: number | null;
}

/**
 * Blanks the tags and attachments of a WebM file in place (RFC 9559): they become Void elements of the same size, so that
 * no offset changes. Returns whether anything was changed; `too_much` if the file has more elements than any film.
 */
export function blankWebm(file: Uint8Array): boolean | "too_much" {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let isChanged = false;
  let left = ELEMENTS_MAX;
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    if (element === null) return isChanged;
    if (--left < 0) return "too_much";
    const { id, content, size } = element;
    // A segment is walked; so is what has no size, because only its children tell where it ends.
    if (id === SEGMENT || size === null) {
      if (id !== SEGMENT && id !== CLUSTER) return isChanged;
      at = content;
      continue;
    }
    const end = Math.min(bytes.length, content + size);
    if (id === TAGS || id === ATTACHMENTS || (id === VOID && !isEmpty(bytes.subarray(content, end)))) {
      blank(bytes, at, end);
      isChanged = true;
    }
    at = end;
  }
  return isChanged;
}

function blank(bytes: Buffer, start: number, end: number): void {
  const length = end - start;
  bytes.fill(0, start, end);
  bytes[start] = VOID;
  if (length >= 9) {
    bytes.writeBigUInt64BE(BigInt(length - 9) | (1n << 56n), start + 1);
  } else bytes[start + 1] = 0x80 | (length - 2);
}

/** Reads the head of an element (RFC 8794); null if there is none. */
function elementAt(bytes: Buffer, at: number): Element | null {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  if (idLength > 4 || at + idLength >= bytes.length) return null;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  if (sizeLength > 8 || sizeAt + sizeLength > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  let isUnknown = size === 0xff >> sizeLength;
  for (let n = 1; n < sizeLength; n++) {
    const byte = bytes[sizeAt + n] ?? 0;
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { id: bytes.readUIntBE(at, idLength), content: sizeAt + sizeLength, size: isUnknown ? null : size };
}
