/** GIFs built by hand from the GIF89a specification. */

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
const word = (value: number): number[] => [value & 0xff, value >> 8];

export interface FrameOptions {
  width?: number;
  height?: number;
  left?: number;
  top?: number;
  localTable?: boolean;
  interlaced?: boolean;
  /** The delay in the preceding control block, in hundredths of a second. */
  delay?: number;
}

/** The signature, a canvas, and by default a palette of black and white. */
export function header(
  width: number,
  height: number,
  options: { version?: "87a" | "89a"; table?: boolean } = {},
): number[] {
  const { version = "89a", table = true } = options;
  const palette = table ? [0, 0, 0, 255, 255, 255] : [];
  return [...ascii(`GIF${version}`), ...word(width), ...word(height), table ? 0x80 : 0, 0, 0, ...palette];
}

/** Returns a frame of one colour. Clears the code table after every second pixel, so that codes keep three bits. */
export function frame(options: FrameOptions = {}): number[] {
  const { width = 1, height = 1, left = 0, top = 0, localTable = false, interlaced = false, delay } = options;
  const packed = (localTable ? 0x80 : 0) | (interlaced ? 0x40 : 0);
  return [
    ...(delay === undefined ? [] : [0x21, 0xf9, 4, 0, ...word(delay), 0, 0]),
    ...[0x2c, ...word(left), ...word(top), ...word(width), ...word(height), packed],
    ...(localTable ? [10, 20, 30, 200, 210, 220] : []),
    2,
    ...subBlocks(solidPixels(width * height)),
  ];
}

function solidPixels(count: number): number[] {
  const codes: number[] = [];
  for (let left = count; left > 0; left -= 2) codes.push(4, 0, ...(left > 1 ? [0] : []));
  return packed([...codes, 5]);
}

function packed(codes: readonly number[]): number[] {
  const bytes: number[] = new Array(Math.ceil((codes.length * 3) / 8)).fill(0);
  codes.forEach((code, index) => {
    for (let bit = 0; bit < 3; bit += 1) {
      const at = index * 3 + bit;
      if ((code >> bit) & 1) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    }
  });
  return bytes;
}

/** Splits data into sub-blocks of at most `size` bytes, with the empty one that ends them. */
export function subBlocks(data: readonly number[], size = 255): number[] {
  const blocks: number[] = [];
  for (let at = 0; at < data.length; at += size) {
    const block = data.slice(at, at + size);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}

export const comment = (text: string): number[] => [0x21, 0xfe, ...subBlocks(ascii(text))];
export const application = (name: string, data: readonly number[]): number[] => [
  0x21,
  0xff,
  11,
  ...ascii(name),
  ...subBlocks(data),
];
export const LOOP = application("NETSCAPE2.0", [1, 0, 0]);
export const TRAILER = [0x3b];

export const bytesOf = (...parts: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flat());

/** Returns a complete GIF of one frame. `mark` makes it different from others. */
export function stillGif(width = 1, height = 1, mark = ""): Uint8Array<ArrayBuffer> {
  return bytesOf(header(width, height), mark === "" ? [] : comment(mark), frame({ width, height }), TRAILER);
}

/** A valid GIF for each allowed kind, by name. */
export const VALID_GIFS: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "one frame": stillGif(3, 2),
  "version 87a": bytesOf(header(4, 4, { version: "87a" }), frame({ width: 4, height: 4 }), TRAILER),
  animated: bytesOf(
    header(8, 8),
    LOOP,
    frame({ width: 8, height: 8, delay: 10 }),
    frame({ width: 2, height: 3, left: 6, top: 5, delay: 10 }),
    TRAILER,
  ),
  "local colour tables": bytesOf(
    header(2, 2, { table: false }),
    frame({ width: 2, height: 2, localTable: true }),
    TRAILER,
  ),
  interlaced: bytesOf(header(9, 9), frame({ width: 9, height: 9, interlaced: true }), TRAILER),
  "comments and foreign blocks": bytesOf(
    header(1, 1),
    comment("where ".repeat(100)),
    application("XMP DataXMP", ascii("gps")),
    frame(),
    comment("ever"),
    TRAILER,
  ),
  "without end of information": Uint8Array.from(
    Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  ),
};

/**
 * Returns a small GIF with many frames on the largest canvas of a sticker: the size of the file does not show how much
 * work it makes for a viewer.
 */
export function hugeGif(frames: number, side = 512): Uint8Array<ArrayBuffer> {
  const one = [0x2c, 0, 0, 0, 0, ...word(side), ...word(side), 0, 2, 2, 0x44, 0x01, 0];
  return bytesOf(header(side, side), ...Array.from({ length: frames }, () => one), TRAILER);
}
