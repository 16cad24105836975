import { type CleanPicture, orientationIn } from "./picture-parts.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** What a PNG needs to be shown, also in motion (PNG 3rd edition, 11). Texts, times, Exif and private chunks are not here. */
const KEPT = new Set(
  "IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs acTL fcTL fdAT".split(" "),
);
/** An encoder writes a chunk for some 8 KiB. */
const CHUNKS_MAX = 100_000;

/** Removes everything but the picture from a PNG. Returns null unless its chunks form a whole one. */
export function cleanPng(bytes: Buffer): CleanPicture | null {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return null;
  const parts: Uint8Array[] = [bytes.subarray(0, 8)];
  const clean: CleanPicture = {
    format: "png",
    width: 0,
    height: 0,
    parts,
    orientation: 1,
    isAnimated: false,
    frames: 1,
    pixels: 0,
  };
  let hasData = false;
  let at = SIGNATURE.length;
  for (let chunks = 0; chunks < CHUNKS_MAX && at + 12 <= bytes.length; chunks++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length) return null;
    if (chunks === 0) {
      if (type !== "IHDR" || length !== 13) return null;
      clean.width = bytes.readUInt32BE(at + 8);
      clean.height = bytes.readUInt32BE(at + 12);
      clean.pixels = clean.width * clean.height;
    }
    if (type === "acTL") clean.isAnimated = true;
    if (type === "eXIf") clean.orientation = orientationIn(bytes.subarray(at + 8, end - 4)) ?? clean.orientation;
    if (type === "fcTL" && length === 26) {
      clean.frames += 1;
      clean.pixels += bytes.readUInt32BE(at + 12) * bytes.readUInt32BE(at + 16);
    }
    hasData ||= type === "IDAT";
    if (KEPT.has(type)) parts.push(bytes.subarray(at, end));
    if (type === "IEND") return hasData && clean.width > 0 && clean.height > 0 ? clean : null;
    at = end;
  }
  return null;
}
