/** The limits of a GIF, so that showing it stays cheap. */
export interface GifLimits {
  /** Pixels of the canvas's longer side. */
  side: number;
  frames: number;
  /** Pixels of all frames together, which a viewer must decode. */
  pixels: number;
  /** Blocks and sub-blocks that a walk visits; `STEPS_MAX` if absent. */
  steps?: number;
}

/** The result of a walk over a GIF. Sizes are those of the canvas; all figures are up to where the walk ended. */
export interface GifWalk {
  /** `broken`: the blocks do not form a GIF. `too_much`: a limit is exceeded. */
  outcome: "whole" | "broken" | "too_much";
  width: number;
  height: number;
  frames: number;
  pixels: number;
  /** Blocks and sub-blocks visited; more than the limit end the walk. */
  steps: number;
  /** The offset where the walk ended; for a complete GIF, the offset after the trailer. */
  end: number;
}

/**
 * Sub-blocks hold up to 255 bytes, and encoders fill them: a GIF of 512 KiB has some 2,000. More than this is abuse.
 */
export const STEPS_MAX = 65_536;

const HEADER_LENGTH = 13;
const DESCRIPTOR_LENGTH = 10;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
/** The maximum code size in bits; decoders refuse larger ones (giflib). */
const CODE_SIZE_MAX = 8;

type Stop = "broken" | "too_much";

/**
 * Walks the blocks of a GIF (GIF89a specification, appendix B) and checks that they form one: a canvas, at least one
 * frame, each inside the canvas and with data, and a trailer. Pixels are not decoded: viewers do not trust them, and
 * show a gap where they are missing. Work is bounded by the steps, memory only by the input. `visit` gets each part
 * in order, from header to trailer.
 */
export function walkGif(
  input: Uint8Array,
  limits: GifLimits,
  visit: (start: number, end: number) => void = () => {},
): GifWalk {
  const walk: GifWalk = { outcome: "broken", width: 0, height: 0, frames: 0, pixels: 0, steps: 0, end: 0 };
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  walk.outcome = readHeader(bytes, limits, walk) ?? readBlocks(bytes, limits, walk, visit);
  return walk;
}

function readHeader(bytes: Buffer, limits: GifLimits, walk: GifWalk): Stop | undefined {
  const signature = bytes.toString("latin1", 0, 6);
  if (bytes.length < HEADER_LENGTH || (signature !== "GIF87a" && signature !== "GIF89a")) return "broken";
  walk.width = bytes.readUInt16LE(6);
  walk.height = bytes.readUInt16LE(8);
  walk.end = HEADER_LENGTH + tableLength(bytes.readUInt8(10));
  if (walk.width === 0 || walk.height === 0) return "broken";
  if (walk.width > limits.side || walk.height > limits.side) return "too_much";
  return undefined;
}

function readBlocks(
  bytes: Buffer,
  limits: GifLimits,
  walk: GifWalk,
  visit: (start: number, end: number) => void,
): GifWalk["outcome"] {
  if (walk.end > bytes.length) return "broken";
  visit(0, walk.end);
  for (;;) {
    const start = walk.end;
    const kind = bytes[start];
    if (++walk.steps > (limits.steps ?? STEPS_MAX)) return "too_much";
    if (kind === TRAILER) {
      walk.end += 1;
      visit(start, walk.end);
      return walk.frames === 0 ? "broken" : "whole";
    }
    if (kind === EXTENSION) walk.end += 2;
    else if (kind !== IMAGE) return "broken";
    const stop = (kind === IMAGE ? readFrame(bytes, limits, walk) : undefined) ?? skipSubBlocks(bytes, limits, walk);
    if (stop !== undefined) return stop;
    visit(start, walk.end);
  }
}

/** Reads the descriptor, color table and code size of a frame; its data follow. */
function readFrame(bytes: Buffer, limits: GifLimits, walk: GifWalk): Stop | undefined {
  const at = walk.end;
  if (at + DESCRIPTOR_LENGTH > bytes.length) return "broken";
  const width = bytes.readUInt16LE(at + 5);
  const height = bytes.readUInt16LE(at + 7);
  if (width === 0 || height === 0) return "broken";
  if (bytes.readUInt16LE(at + 1) + width > walk.width || bytes.readUInt16LE(at + 3) + height > walk.height)
    return "broken";
  walk.frames += 1;
  walk.pixels += width * height;
  if (walk.frames > limits.frames || walk.pixels > limits.pixels) return "too_much";
  const data = at + DESCRIPTOR_LENGTH + tableLength(bytes.readUInt8(at + 9));
  const codeSize = bytes[data] ?? 0;
  if (codeSize < 1 || codeSize > CODE_SIZE_MAX || (bytes[data + 1] ?? 0) === 0) return "broken";
  walk.end = data + 1;
  return undefined;
}

/** Skips sub-blocks: each starts with its length, and an empty one ends them. */
function skipSubBlocks(bytes: Buffer, limits: GifLimits, walk: GifWalk): Stop | undefined {
  for (;;) {
    const length = bytes[walk.end];
    if (length === undefined) return "broken";
    if (++walk.steps > (limits.steps ?? STEPS_MAX)) return "too_much";
    walk.end += 1 + length;
    if (length === 0) return undefined;
  }
}

/** Returns the length in bytes of the color table that a packed field announces. */
const tableLength = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/**
 * Returns the GIF without anything that is not picture: comments, foreign application blocks (XMP, ICC) and data after
 * the trailer. The block that makes an animation repeat is kept. Null unless it is a complete GIF within the limits.
 */
export function cleanGif(input: Uint8Array, limits: GifLimits): Uint8Array | null {
  const kept = Buffer.allocUnsafe(input.length);
  let length = 0;
  const { outcome } = walkGif(input, limits, (start, end) => {
    if (isMetadata(input, start)) return;
    kept.set(input.subarray(start, end), length);
    length += end - start;
  });
  return outcome === "whole" ? kept.subarray(0, length) : null;
}

/** True for a block that a viewer does not need: a comment, or an application block other than the one that loops. */
export function isMetadata(input: Uint8Array, start: number): boolean {
  if (input[start] !== EXTENSION) return false;
  const label = input[start + 1];
  if (label === COMMENT) return true;
  if (label !== APPLICATION) return false;
  const application = String.fromCharCode(...input.subarray(start + 3, start + 14));
  return application !== "NETSCAPE2.0" && application !== "ANIMEXTS1.0";
}
