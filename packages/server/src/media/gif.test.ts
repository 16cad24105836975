import { describe, expect, test } from "bun:test";
import { GIF_FRAMES, GIF_PIXELS, STICKER_BYTES, STICKER_SIDE } from "@parley/protocol/limits";
import fc from "fast-check";
import { mutatedGifs } from "../../test/support/fuzz/gif-mutations.ts";
import {
  application,
  bytesOf,
  comment,
  frame,
  header,
  hugeGif,
  LOOP,
  stillGif,
  subBlocks,
  TRAILER,
  VALID_GIFS,
} from "../../test/support/gifs.ts";
import { cleanGif, STEPS_MAX, walkGif } from "./gif.ts";

const LIMITS = { side: STICKER_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS };
const outcomeOf = (...parts: readonly (readonly number[])[]): string => walkGif(bytesOf(...parts), LIMITS).outcome;
const frames = (count: number): number[] => Array.from({ length: count }, () => frame()).flat();

describe("walkGif", () => {
  test.each(Object.entries(VALID_GIFS))("accepts %s, which Bun can decode", async (_, gif) => {
    const walk = walkGif(gif, LIMITS);
    expect(walk).toMatchObject({ outcome: "whole", end: gif.length });
    expect(walk.steps).toBeLessThan(gif.length);
    expect((await new Bun.Image(gif).png().bytes()).length).toBeGreaterThan(0);
  });

  test("reports the canvas, the frames, and the pixels of all of them", () => {
    const gif = bytesOf(header(8, 9), LOOP, frame({ width: 8, height: 9 }), frame({ width: 2, height: 3 }), TRAILER);
    expect(walkGif(gif, LIMITS)).toMatchObject({ width: 8, height: 9, frames: 2, pixels: 72 + 6 });
  });

  test("finds no cut of a valid GIF complete", () => {
    for (const gif of Object.values(VALID_GIFS)) {
      for (let length = 0; length < gif.length; length += 1)
        expect(walkGif(gif.subarray(0, length), LIMITS).outcome).toBe("broken");
    }
  });

  test.each<[string, number[]]>([
    ["another signature", [...Buffer.from("GIF88a"), ...header(1, 1).slice(6), ...frame(), ...TRAILER]],
    ["no picture", [...header(1, 1), ...TRAILER]],
    ["comments only", [...header(1, 1), ...comment("all there is"), ...TRAILER]],
    ["a canvas without width", [...header(0, 1), ...frame(), ...TRAILER]],
    ["a canvas without height", [...header(1, 0), ...frame(), ...TRAILER]],
    ["a frame without width", [...header(1, 1), ...frame({ width: 0 }), ...TRAILER]],
    ["a frame beyond the right", [...header(4, 4), ...frame({ width: 4, height: 4, left: 1 }), ...TRAILER]],
    ["a frame beyond the bottom", [...header(4, 4), ...frame({ width: 4, height: 4, top: 1 }), ...TRAILER]],
    ["a frame larger than the canvas", [...header(4, 4), ...frame({ width: 5, height: 4 }), ...TRAILER]],
    ["a frame without data", [...header(1, 1), 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, ...TRAILER]],
    ["codes of no bits", [...header(1, 1), 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0x44, 0, ...TRAILER]],
    ["codes of nine bits", [...header(1, 1), 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 9, 1, 0x44, 0, ...TRAILER]],
    ["an unknown block", [...header(1, 1), ...frame(), 0x99, ...TRAILER]],
    ["a stray zero between blocks", [...header(1, 1), ...frame(), 0, ...TRAILER]],
    ["a palette beyond the end", [...header(1, 1).slice(0, 10), 0x87, 0, 0, ...frame(), ...TRAILER]],
    ["no trailer", [...header(1, 1), ...frame()]],
  ])("reports %s as broken", (_, bytes) => expect(outcomeOf(bytes)).toBe("broken"));

  test("applies each limit exactly", () => {
    expect(outcomeOf([...stillGif(512, 512)])).toBe("whole");
    expect(outcomeOf([...stillGif(513, 1)])).toBe("too_much");
    expect(outcomeOf([...stillGif(1, 513)])).toBe("too_much");
    expect(outcomeOf(header(1, 1), frames(120), TRAILER)).toBe("whole");
    expect(outcomeOf(header(1, 1), frames(121), TRAILER)).toBe("too_much");
    expect(walkGif(hugeGif(61), LIMITS)).toMatchObject({ outcome: "whole", pixels: 61 * 512 * 512 });
    expect(walkGif(hugeGif(62), LIMITS)).toMatchObject({ outcome: "too_much", frames: 62 });
    expect(walkGif(hugeGif(120), LIMITS)).toMatchObject({ outcome: "too_much", frames: 62 });
  });

  test("excludes what follows the trailer", () => {
    const gif = stillGif(2, 2);
    expect(walkGif(Buffer.concat([gif, Buffer.from("<script>")]), LIMITS).end).toBe(gif.length);
  });

  test("accepts a giant comment, and stops at floods of tiny blocks", () => {
    const giant = bytesOf(header(1, 1), comment("x".repeat(500_000)), frame(), TRAILER);
    expect(giant.length).toBeLessThan(STICKER_BYTES);
    expect(walkGif(giant, LIMITS)).toMatchObject({ outcome: "whole", steps: expect.any(Number) });
    expect(walkGif(giant, LIMITS).steps).toBeLessThan(2_000);

    const fill = (piece: readonly number[]): Uint8Array => {
      const start = header(1, 1);
      const bytes = Buffer.alloc(STICKER_BYTES, Buffer.from(piece));
      bytes.set(start);
      return bytes;
    };
    for (const piece of [
      [0x21, 0xfe, 0],
      [0x21, 0, 1, 0, 0],
    ]) {
      const walk = walkGif(fill(piece), LIMITS);
      expect(walk.outcome === "too_much" || walk.outcome === "broken").toBe(true);
      expect(walk.steps).toBeLessThanOrEqual(STEPS_MAX + 1);
    }
    const crumbs = bytesOf(
      header(1, 1),
      [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2],
      subBlocks(Array(200_000).fill(1), 1),
      TRAILER,
    );
    expect(walkGif(crumbs, LIMITS)).toMatchObject({ outcome: "too_much", steps: STEPS_MAX + 1 });
  });

  test("survives 20,000 mutated GIFs without an exception, in bounded steps, and reports them correctly", () => {
    const counts = { whole: 0, broken: 0, too_much: 0 };
    fc.assert(
      fc.property(mutatedGifs(), (gif) => {
        const walk = walkGif(gif, LIMITS);
        counts[walk.outcome] += 1;
        expect(walk.steps).toBeLessThanOrEqual(Math.min(gif.length + 1, STEPS_MAX + 1));
        expect(walk.frames).toBeLessThanOrEqual(GIF_FRAMES + 1);
        if (walk.outcome !== "whole") return;
        expect(walk.end).toBeLessThanOrEqual(gif.length);
        expect(gif[walk.end - 1]).toBe(0x3b);
        expect(walk.width).toBeLessThanOrEqual(STICKER_SIDE);
        expect(walk.pixels).toBeLessThanOrEqual(GIF_PIXELS);
      }),
      { numRuns: 20_000, seed: 7 },
    );
    // If every fuzzed file were refused at the first check, nothing else would be tested.
    expect(counts.whole).toBeGreaterThan(1_000);
    expect(counts.broken).toBeGreaterThan(5_000);
    expect(counts.too_much).toBeGreaterThan(20);
  });
});

describe("cleanGif", () => {
  const clean = (...parts: readonly (readonly number[])[]) => cleanGif(bytesOf(...parts), LIMITS);
  const control = frame({ delay: 10 });

  test("keeps pictures, timing and loop; drops comments, foreign blocks and what follows the end", () => {
    const xmp = application("XMP DataXMP", [1, 2, 3]);
    const dirty = clean(header(2, 3), LOOP, comment("where"), control, xmp, control, TRAILER, [1, 2, 3]);
    expect(dirty).toEqual(Buffer.from(bytesOf(header(2, 3), LOOP, control, control, TRAILER)));
  });

  test("returns a clean GIF unchanged, and null for a broken or too large one", () => {
    const gif = VALID_GIFS.animated ?? new Uint8Array();
    expect(cleanGif(gif, LIMITS)).toEqual(Buffer.from(gif));
    expect(clean(header(2, 3), TRAILER)).toBeNull();
    expect(cleanGif(hugeGif(62), LIMITS)).toBeNull();
  });

  test("turns 5,000 mutated GIFs into a whole GIF or null, and cleaning twice changes nothing", () => {
    fc.assert(
      fc.property(mutatedGifs(), (gif) => {
        const once = cleanGif(gif, LIMITS);
        expect(once === null).toBe(walkGif(gif, LIMITS).outcome !== "whole");
        if (once === null) return;
        expect(walkGif(once, LIMITS)).toMatchObject({ outcome: "whole", end: once.length });
        expect(cleanGif(once, LIMITS)).toEqual(once as Buffer);
      }),
      { numRuns: 5_000, seed: 8 },
    );
  });
});
