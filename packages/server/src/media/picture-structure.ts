export type PictureFormat = "gif" | "jpeg" | "png" | "webp";

/** Format and size of a picture file, read from its structure. */
export interface PictureHead {
  format: PictureFormat;
  /** Pixels of the canvas. */
  width: number;
  height: number;
}

/** A progressive photo has about ten scans. Each makes the decoder process the whole picture (protocol §2). */
export const JPEG_SCANS_MAX = 100;
/** Encoders write a few dozen chunks into 256 KiB; more are abuse. */
export const CHUNKS_MAX = 1_000;
/** Segments before the frame of a JPEG: tables and metadata. */
const SEGMENTS_MAX = 1_000;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/**
 * Reads format and size from the structure of a picture file and bounds the work of decoding it. Returns null for other
 * formats, for a broken structure, and for more scans or chunks than a legitimate picture has. Its cost grows with the
 * number of chunks, not of pixels. The decoder's output size must still be checked: it may read a damaged file
 * differently.
 */
export function inspectPicture(input: Uint8Array): PictureHead | null {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return inspectPng(bytes);
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\xff\xd8\xff")) return inspectJpeg(bytes);
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return inspectWebp(bytes);
  if (!start.startsWith("GIF8") || bytes.length < 10) return null;
  return { format: "gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function inspectJpeg(bytes: Buffer): PictureHead | null {
  if (countScans(bytes) > JPEG_SCANS_MAX) return null;
  let at = 2;
  for (let segments = 0; segments < SEGMENTS_MAX && at + 9 <= bytes.length; segments++) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker)) {
      return { format: "jpeg", height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    const isFill = marker === 0xff;
    const length = bytes.readUInt16BE(at + 2);
    if (!isFill && (marker < 0xc0 || isLone(marker) || length < 2)) return null;
    at += isFill ? 1 : 2 + length;
  }
  return null;
}

/**
 * Counts the byte pairs that start a scan, at any offset. Pixel data never contain the pair, so no decoder can find an
 * uncounted scan, whatever it skips; metadata contain it a few times by chance.
 */
function countScans(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(START_OF_SCAN); at !== -1; at = bytes.indexOf(START_OF_SCAN, at + 2)) count++;
  return count;
}

/** Baseline, extended and progressive frames; decoders refuse the others. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2;

/** Restarts, start and end of the image, and a scan: none of them may precede the frame. */
const isLone = (marker: number): boolean => marker >= 0xd0 && marker <= 0xda;

function inspectPng(bytes: Buffer): PictureHead | null {
  let at = PNG_SIGNATURE.length;
  let head: PictureHead | null = null;
  for (let chunks = 0; chunks < CHUNKS_MAX && at + 12 <= bytes.length; chunks++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (at + 12 + length > bytes.length) return null;
    if (head === null) {
      if (type !== "IHDR" || length !== 13) return null;
      head = { format: "png", width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    } else if (type === "IEND") {
      return head;
    }
    at += 12 + length;
  }
  return null;
}

function inspectWebp(bytes: Buffer): PictureHead | null {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return null;
  let at = 12;
  let head: PictureHead | null = null;
  for (let chunks = 0; at + 8 <= end; chunks++) {
    const length = bytes.readUInt32LE(at + 4);
    if (chunks === CHUNKS_MAX || at + 8 + length > end) return null;
    head ??= webpCanvas(bytes.toString("latin1", at, at + 4), bytes.subarray(at + 8, at + 8 + length));
    if (head === null) return null;
    at += 8 + length + (length & 1);
  }
  return head;
}

/** Returns the canvas from the first chunk of a WebP file (RFC 9649, section 2). */
function webpCanvas(type: string, data: Buffer): PictureHead | null {
  if (data.length < 10) return null;
  if (type === "VP8X") return { format: "webp", width: 1 + data.readUIntLE(4, 3), height: 1 + data.readUIntLE(7, 3) };
  if (type === "VP8 ") {
    return { format: "webp", width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  if (type !== "VP8L" || data[0] !== 0x2f) return null;
  const sizes = data.readUInt32LE(1);
  return { format: "webp", width: 1 + (sizes & 0x3fff), height: 1 + ((sizes >>> 14) & 0x3fff) };
}
