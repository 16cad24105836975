import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cleanGif } from "./gif.ts";

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
const HEADER = [...ascii("GIF89a"), 2, 0, 3, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
const PICTURE = [0x2c, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 2, 0x44, 0x01, 0];
const CONTROL = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
const LOOP = [0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0];
const COMMENT = [0x21, 0xfe, 5, ...ascii("where"), 4, ...ascii("ever"), 0];
const XMP = [0x21, 0xff, 11, ...ascii("XMP DataXMP"), 3, ...ascii("gps"), 0];
const END = [0x3b];
const gif = (...parts: number[][]): Uint8Array => Uint8Array.from(parts.flat());

describe("cleanGif", () => {
  test("keeps pictures, their timing and the loop; drops comments, foreign blocks and what follows the end", () => {
    const clean = cleanGif(gif(HEADER, LOOP, COMMENT, CONTROL, PICTURE, XMP, CONTROL, PICTURE, END, ascii("<script>")));
    expect(clean).toMatchObject({ width: 2, height: 3 });
    expect(clean?.bytes).toEqual(Buffer.from(gif(HEADER, LOOP, CONTROL, PICTURE, CONTROL, PICTURE, END)));
  });

  test("a clean one stays as it is", () => {
    const input = gif(HEADER, CONTROL, PICTURE, END);
    expect(cleanGif(input)?.bytes).toEqual(Buffer.from(input));
  });

  test("what does not add up is none: every cut of a good one, no picture, another signature", () => {
    const good = gif(HEADER, LOOP, CONTROL, PICTURE, END);
    for (let length = 0; length < good.length; length += 1) expect(cleanGif(good.subarray(0, length))).toBeNull();
    expect(cleanGif(gif(HEADER, END))).toBeNull();
    expect(cleanGif(gif(ascii("GIF88a"), HEADER.slice(6), PICTURE, END))).toBeNull();
    expect(cleanGif(gif(HEADER, [0x99], PICTURE, END))).toBeNull();
  });

  test("any bytes give an answer, and cleaning twice is cleaning once", () => {
    const part = fc.constantFrom(PICTURE, CONTROL, LOOP, COMMENT, XMP, END, [0x21], [0]);
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.array(fc.nat(255))), { maxLength: 8 }), (parts) => {
        const once = cleanGif(gif(HEADER, ...parts));
        if (once !== null) expect(cleanGif(once.bytes)?.bytes).toEqual(once.bytes as Buffer);
      }),
    );
  });
});
