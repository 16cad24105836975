/** Size of a GIF's canvas, and the same GIF without what is not picture. */
export interface CleanGif {
  width: number;
  height: number;
  bytes: Uint8Array;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const COMMENT = 0xfe;
const APPLICATION = 0xff;

/**
 * Walks the blocks of a GIF and leaves out comments, foreign application blocks (XMP, ICC) and whatever follows the trailer; the
 * block that makes an animation repeat stays. Null when the blocks do not add up to a GIF.
 */
export function cleanGif(input: Uint8Array): CleanGif | null {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const signature = String.fromCharCode(...input.subarray(0, 6));
  if (input.length < 13 || (signature !== "GIF87a" && signature !== "GIF89a")) return null;
  const width = view.getUint16(6, true);
  const height = view.getUint16(8, true);
  let at = 13 + tableLength(view.getUint8(10));
  const kept: Uint8Array[] = [input.subarray(0, at)];
  let pictures = 0;
  while (at < input.length) {
    const start = at;
    const kind = input[at];
    if (kind === TRAILER) {
      if (pictures === 0) return null;
      kept.push(input.subarray(at, at + 1));
      return { width, height, bytes: Buffer.concat(kept) };
    }
    let data: number;
    if (kind === EXTENSION) data = at + 2;
    else if (kind === IMAGE && at + 10 < input.length) data = at + 10 + tableLength(view.getUint8(at + 9)) + 1;
    else return null;
    at = endOfBlocks(input, data);
    if (at > input.length) return null;
    if (kind === IMAGE) pictures += 1;
    if (kind === IMAGE || !isMetadata(input, start)) kept.push(input.subarray(start, at));
  }
  return null;
}

/** Bytes of the colour table that a packed field announces. */
const tableLength = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/** Sub-blocks, each led by its length, end with an empty one. Beyond the input when they do not. */
function endOfBlocks(input: Uint8Array, from: number): number {
  let at = from;
  while (at < input.length) {
    const length = input[at] ?? 0;
    at += 1 + length;
    if (length === 0) return at;
  }
  return input.length + 1;
}

function isMetadata(input: Uint8Array, extension: number): boolean {
  const label = input[extension + 1];
  if (label === COMMENT) return true;
  if (label !== APPLICATION) return false;
  const application = String.fromCharCode(...input.subarray(extension + 3, extension + 14));
  return application !== "NETSCAPE2.0" && application !== "ANIMEXTS1.0";
}
