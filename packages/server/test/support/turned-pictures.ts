import { crc32, inflateSync } from "node:zlib";

/** Pixels of a picture of 48 x 32, whose corner at the top left is black. */
function corner(format: "png" | "webp"): Promise<Uint8Array> {
  const bmp = Buffer.alloc(54 + 48 * 32 * 3, 255);
  bmp.fill(0, 0, 54);
  bmp.write("BM");
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(48, 18);
  bmp.writeInt32LE(32, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  // Rows go from the bottom to the top.
  for (let y = 24; y < 32; y++) bmp.fill(0, 54 + y * 144, 54 + y * 144 + 24);
  return new Bun.Image(bmp)[format]({ quality: 100 }).bytes();
}

const exif = (orientation: number): Buffer =>
  Buffer.from(`4d4d002a000000080001011200030000000100${`0${orientation}`}000000000000`, "hex");

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

function webpChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

/**
 * Returns a picture of 48 x 32 pixels whose metadata ask for this orientation, 1 to 8. The corner at the top left of the
 * stored pixels is black.
 */
export async function turnedPicture(format: "png" | "webp", orientation: number): Promise<Buffer> {
  const plain = Buffer.from(await corner(format));
  if (format === "png")
    return Buffer.concat([plain.subarray(0, 33), pngChunk("eXIf", exif(orientation)), plain.subarray(33)]);
  const head = Buffer.from([0x08, 0, 0, 0, 47, 0, 0, 31, 0, 0]);
  const body = Buffer.concat([webpChunk("VP8X", head), plain.subarray(12), webpChunk("EXIF", exif(orientation))]);
  return webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), body]));
}

/** Returns the size of a picture, and which of its corners is black. */
export async function lookOf(bytes: Uint8Array): Promise<string> {
  const { width, height } = await new Bun.Image(bytes).metadata();
  const rows = await pixels(bytes);
  const [top, bottom] = [rows.at(1) ?? [], rows.at(-2) ?? []];
  const corners = {
    "top left": top.at(1),
    "top right": top.at(-2),
    "bottom left": bottom.at(1),
    "bottom right": bottom.at(-2),
  };
  const black = Object.entries(corners).flatMap(([name, red]) => ((red ?? 255) < 64 ? [name] : []));
  return `${width}×${height}, ${black.join()}`;
}

/** Returns how red each pixel is, by rows. Bun writes PNGs of four bytes a pixel. */
async function pixels(picture: Uint8Array): Promise<number[][]> {
  const png = Buffer.from(await new Bun.Image(picture).png().bytes());
  const width = png.readUInt32BE(16);
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data));
  const size = width * 4;
  let above = Buffer.alloc(size);
  const rows: number[][] = [];
  for (let at = 0; at < raw.length; at += size + 1) {
    const row = Buffer.from(raw.subarray(at + 1, at + 1 + size));
    for (let x = 0; x < size; x++) row[x] = ((row[x] ?? 0) + predicted(raw[at] ?? 0, row, above, x)) & 255;
    rows.push(Array.from({ length: width }, (_, x) => row[x * 4] ?? 0));
    above = row;
  }
  return rows;
}

/** Returns what a filter of PNG adds to a byte (PNG 3rd edition, 9.2). */
function predicted(filter: number, row: Buffer, above: Buffer, x: number): number {
  const [left, up, corner] = [row[x - 4] ?? 0, above[x] ?? 0, above[x - 4] ?? 0];
  if (filter < 4) return [0, left, up, (left + up) >> 1][filter] ?? 0;
  const near = [left, up, corner].map((byte) => Math.abs(left + up - corner - byte));
  return [left, up, corner][near.indexOf(Math.min(...near))] ?? 0;
}

/** How the picture of each orientation looks upright. */
export const UPRIGHT: readonly (readonly [orientation: number, look: string])[] = [
  [1, "48×32, top left"],
  [2, "48×32, top right"],
  [3, "48×32, bottom right"],
  [4, "48×32, bottom left"],
  [5, "32×48, top left"],
  [6, "32×48, top right"],
  [7, "32×48, bottom right"],
  [8, "32×48, bottom left"],
];
