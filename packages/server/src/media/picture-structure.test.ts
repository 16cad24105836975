import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jpegOfScans } from "../../test/support/fuzz/jpeg-bombs.ts";
import { stillGif } from "../../test/support/gifs.ts";
import { CHUNKS_MAX, inspectPicture, JPEG_SCANS_MAX } from "./picture-structure.ts";

const source = new Bun.Image(jpegOfScans(1)).resize(40, 30, { fit: "fill" });
const pictures = {
  jpeg: await source.jpeg().bytes(),
  png: await source.png().bytes(),
  webp: await source.webp().bytes(),
  "webp without loss": await source.webp({ lossless: true }).bytes(),
};
const isPicture = (bytes: Uint8Array): boolean => inspectPicture(bytes) !== null;

/** A PNG with this many additional empty chunks. */
function pngOfChunks(more: number): Buffer {
  const png = Buffer.from(pictures.png);
  const chunk = Buffer.from("\0\0\0\0tEXt\0\0\0\0", "latin1");
  return Buffer.concat([png.subarray(0, 33), ...new Array<Buffer>(more).fill(chunk), png.subarray(33)]);
}

/** A WebP file with this many additional empty chunks. */
function webpOfChunks(more: number): Buffer {
  const bytes = Buffer.concat([pictures.webp, ...new Array<Buffer>(more).fill(Buffer.from("TEST\0\0\0\0", "latin1"))]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

/** The same file with other bytes at an offset. */
const patched = (bytes: Uint8Array, at: number, ...values: readonly number[]): Buffer => {
  const copy = Buffer.from(bytes);
  copy.set(values, at);
  return copy;
};

describe("inspectPicture", () => {
  test.each(Object.entries(pictures))("reads the format and size of a %s", (name, bytes) => {
    expect(inspectPicture(bytes)).toEqual({ format: name.split(" ")[0] as "jpeg", width: 40, height: 30 });
  });

  test("reads the canvas of a GIF and of an extended WebP file", () => {
    expect(inspectPicture(stillGif())).toMatchObject({ format: "gif" });
    const extended = Buffer.concat([
      Buffer.from("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0", "latin1"),
      Buffer.from([0xff, 0xff, 0xff, 1, 0, 0]),
    ]);
    expect(inspectPicture(extended)).toEqual({ format: "webp", width: 2 ** 24, height: 2 });
  });

  test(`allows ${JPEG_SCANS_MAX} scans of a JPEG and refuses one more`, () => {
    expect(inspectPicture(jpegOfScans(JPEG_SCANS_MAX))).toEqual({ format: "jpeg", width: 1_024, height: 1_024 });
    expect(isPicture(jpegOfScans(JPEG_SCANS_MAX + 1))).toBe(false);
  });

  test("counts scans behind anything a decoder skips", () => {
    const bomb = jpegOfScans(JPEG_SCANS_MAX + 1);
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xd9]);
    const fill = Buffer.alloc(9, 0xff);
    expect(isPicture(Buffer.concat([bomb.subarray(0, 2), comment, fill, bomb.subarray(2)]))).toBe(false);
    expect(isPicture(Buffer.concat([bomb.subarray(0, -2), Buffer.from("garbage"), bomb.subarray(2)]))).toBe(false);
  });

  test("refuses floods of chunks", () => {
    expect(isPicture(pngOfChunks(CHUNKS_MAX - 10))).toBe(true);
    expect(isPicture(pngOfChunks(CHUNKS_MAX))).toBe(false);
    expect(isPicture(webpOfChunks(CHUNKS_MAX - 10))).toBe(true);
    expect(isPicture(webpOfChunks(CHUNKS_MAX + 1))).toBe(false);
  });

  test.each([
    ["a PNG without an end", pictures.png.subarray(0, -12)],
    ["a PNG whose first chunk is not a header", patched(pictures.png, 12, 0x49, 0x44)],
    ["a chunk longer than its file", patched(pictures.png, 33, 0x7f)],
    ["a JPEG without a frame", jpegOfScans(1).subarray(0, 60)],
    ["a JPEG with arithmetic coding", patched(jpegOfScans(1), 71, 0xff, 0xc9)],
    ["a WebP file longer than its bytes", patched(pictures.webp, 7, 1)],
    ["a WebP file that begins with another chunk", patched(pictures.webp, 12, 0x41)],
    ["nothing", new Uint8Array()],
    ["a bitmap", Buffer.from("BM".padEnd(60, "\0"))],
  ])("refuses %s", (_, bytes) => {
    expect(isPicture(bytes)).toBe(false);
  });

  test("returns a result for any bytes behind a signature", () => {
    const starts = [...Object.values(pictures), jpegOfScans(3)].map((bytes) => Buffer.from(bytes));
    const mutated = fc
      .tuple(fc.constantFrom(...starts), fc.nat(), fc.uint8Array({ maxLength: 40 }), fc.nat())
      .map(([start, at, noise, end]) => {
        const bytes = Buffer.concat([start, Buffer.alloc(40)]);
        bytes.set(noise, at % start.length);
        return bytes.subarray(0, end % bytes.length);
      });
    fc.assert(
      fc.property(mutated, (bytes) => {
        const head = inspectPicture(bytes);
        if (head !== null) expect(head.width * head.height).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 10_000, seed: 5 },
    );
  });
});
