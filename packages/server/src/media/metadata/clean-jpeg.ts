import { orientationIn } from "./picture-parts.ts";

/** A JPEG without metadata, as parts of the original. */
export interface CleanJpeg {
  parts: Uint8Array[];
  width: number;
  height: number;
  /** The orientation of its Exif data, 1 to 8 (Exif 2.32, 4.6.4 A): 1 is upright. */
  orientation: number;
}

const MARKER = 0xff;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const COMMENT = 0xfe;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
/** More segments than any encoder writes, and more scans: each makes a decoder process the whole picture. */
const SEGMENTS_MAX = 1_000;
const SCANS_MAX = 100;

/**
 * Removes from a JPEG everything but the picture: Exif (with the place of a photo), XMP, comments, and what follows the
 * end of the picture, such as the film of a live photo. The color profile and Adobe's color transform stay. Returns null
 * unless the segments form a whole JPEG (ITU-T T.81, annex B).
 */
export function cleanJpeg(bytes: Buffer): CleanJpeg | null {
  if (bytes[0] !== MARKER || bytes[1] !== SOI) return null;
  const clean: CleanJpeg = { parts: [bytes.subarray(0, 2)], width: 0, height: 0, orientation: 1 };
  let at = 2;
  let scans = 0;
  for (let segments = 0; segments < SEGMENTS_MAX; segments++) {
    while (bytes[at] === MARKER && bytes[at + 1] === MARKER) at += 1;
    if (bytes[at] !== MARKER) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === EOI) {
      clean.parts.push(bytes.subarray(at, at + 2));
      return clean.width > 0 && clean.height > 0 && scans > 0 ? clean : null;
    }
    if (at + 4 > bytes.length || marker < 0xc0 || (marker >= 0xd0 && marker <= SOI)) return null;
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return null;
    if (isFrame(marker) && length >= 8) {
      clean.height = bytes.readUInt16BE(at + 5);
      clean.width = bytes.readUInt16BE(at + 7);
    }
    if (marker === APP1) clean.orientation = exifOf(bytes.subarray(at + 4, end)) ?? clean.orientation;
    if (isKept(marker, bytes.subarray(at + 4, end))) clean.parts.push(bytes.subarray(at, end));
    at = end;
    if (marker !== SOS) continue;
    if (++scans > SCANS_MAX) return null;
    at = endOfScan(bytes, at);
    if (at === -1) return null;
    clean.parts.push(bytes.subarray(end, at));
  }
  return null;
}

/** Any kind of frame except tables that share the range of markers. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function isKept(marker: number, data: Buffer): boolean {
  if (marker === COMMENT) return false;
  if (marker < APP0 || marker > APP15) return true;
  if (marker === APP0) return data.toString("latin1", 0, 5) === "JFIF\0";
  if (marker === APP2) return data.toString("latin1", 0, 12) === "ICC_PROFILE\0";
  return marker === APP14 && data.toString("latin1", 0, 5) === "Adobe";
}

/**
 * Returns the position of the marker that ends the data of a scan; -1 without one. Looks at each byte: a file may consist
 * of bytes that could begin a marker, and a call for each of them takes seconds.
 */
function endOfScan(bytes: Buffer, from: number): number {
  const last = bytes.length - 1;
  for (let at = from; at < last; at++) {
    if (bytes[at] !== MARKER) continue;
    const next = bytes[at + 1] ?? 0;
    const isData = next === 0 || next === MARKER || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  return -1;
}

/** Returns the orientation in a segment, if it has Exif data. */
const exifOf = (data: Buffer): number | null =>
  data.toString("latin1", 0, 6) === "Exif\0\0" ? orientationIn(data) : null;
