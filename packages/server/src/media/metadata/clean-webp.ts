import { inspectPicture } from "../picture-structure.ts";
import { type CleanPicture, orientationIn } from "./picture-parts.ts";

const KEPT = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
const CHUNKS_MAX = 10_000;
/** The flags of `VP8X` that announce Exif and XMP (RFC 9649, 2.7.1). */
const METADATA_FLAGS = 0x08 | 0x04;
const ANIMATION_FLAG = 0x02;

/** Removes everything but the picture from a WebP. Returns null unless its chunks form a whole one. */
export function cleanWebp(bytes: Buffer): CleanPicture | null {
  if (bytes.length < 20 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP")
    return null;
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return null;
  const head = inspectPicture(bytes.subarray(0, Math.min(end, bytes.length)));
  const size = head ?? canvasOf(bytes);
  if (size === null) return null;
  const parts: Uint8Array[] = [];
  const clean: CleanPicture = {
    format: "webp",
    width: size.width,
    height: size.height,
    parts,
    orientation: 1,
    isAnimated: false,
    frames: 0,
    pixels: 0,
  };
  let length = 4;
  let at = 12;
  for (let chunks = 0; at + 8 <= end; chunks++) {
    const type = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const next = at + 8 + size + (size & 1);
    if (chunks === CHUNKS_MAX || at + 8 + size > end) return null;
    if (type === "EXIF") clean.orientation = orientationIn(bytes.subarray(at + 8, at + 8 + size)) ?? clean.orientation;
    if (KEPT.has(type)) {
      const chunk =
        type === "VP8X" && size >= 10
          ? withoutFlags(bytes, at, Math.min(next, end), clean)
          : bytes.subarray(at, Math.min(next, end));
      parts.push(chunk);
      length += chunk.length;
      if (type === "ANMF" && size >= 16) {
        clean.frames += 1;
        clean.pixels += (1 + bytes.readUIntLE(at + 14, 3)) * (1 + bytes.readUIntLE(at + 17, 3));
      }
    }
    at = next;
  }
  if (clean.frames === 0) {
    clean.frames = 1;
    clean.pixels = clean.width * clean.height;
  }
  const riff = Buffer.alloc(12);
  riff.write("RIFF", 0, "latin1");
  riff.writeUInt32LE(length, 4);
  riff.write("WEBP", 8, "latin1");
  parts.unshift(riff);
  return clean;
}

/** Returns the canvas of a WebP with more chunks than an ordinary picture has; such have the extended header. */
function canvasOf(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 30 || bytes.toString("latin1", 12, 16) !== "VP8X") return null;
  return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
}

function withoutFlags(bytes: Buffer, at: number, end: number, clean: CleanPicture): Uint8Array {
  const chunk = Buffer.from(bytes.subarray(at, end));
  const flags = chunk.readUInt8(8);
  clean.isAnimated = (flags & ANIMATION_FLAG) !== 0;
  chunk.writeUInt8(flags & ~METADATA_FLAGS, 8);
  return chunk;
}
