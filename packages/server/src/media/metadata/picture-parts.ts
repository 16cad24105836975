import type { PictureFormat } from "../picture-structure.ts";

/** A picture without metadata. Its bytes are the parts, in order; most of them are views of the original. */
export interface CleanPicture {
  format: PictureFormat;
  /** Pixels of the canvas, before the orientation is applied. */
  width: number;
  height: number;
  parts: Uint8Array[];
  /** The orientation that the metadata asked for, 1 to 8; 1: as it is. */
  orientation: number;
  isAnimated: boolean;
  frames: number;
  /** Pixels of all frames together. */
  pixels: number;
}

const ORIENTATION = 0x0112;
const ENTRIES_MAX = 200;
const HEADER = "Exif\0\0";

/**
 * Reads the orientation in Exif data, 1 to 8 (Exif 2.32, 4.6.4 A): 1 is upright. Null without a valid one. The data may
 * begin with the header that they have in a JPEG: some programs write it into a WebP, too.
 */
export function orientationIn(data: Buffer): number | null {
  const tiff = data.toString("latin1", 0, HEADER.length) === HEADER ? data.subarray(HEADER.length) : data;
  if (tiff.length < 8) return null;
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  if (short(2) !== 42) return null;
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return null;
  const count = Math.min(short(directory), ENTRIES_MAX);
  for (let n = 0; n < count; n++) {
    const entry = directory + 2 + 12 * n;
    if (entry + 12 > tiff.length) return null;
    const value = short(entry + 8);
    if (short(entry) === ORIENTATION) return value >= 1 && value <= 8 ? value : null;
  }
  return null;
}
