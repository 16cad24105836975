import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mp4Of, webmOf } from "../../../test/support/files/sounds.ts";
import { isMp4Sound, isWebmSound } from "./sound-alone.ts";

describe("a recording is sound alone", () => {
  test("if all its tracks are sound, and it has one", () => {
    expect([webmOf(2), webmOf(2, 2), webmOf(2, 1), webmOf(1), webmOf(17), webmOf()].map(isWebmSound)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    const films = [mp4Of("soun"), mp4Of("soun", "vide"), mp4Of("vide"), mp4Of("soun", "text"), mp4Of()];
    expect(films.map(isMp4Sound)).toEqual([true, false, false, false, false]);
  });

  test("and no bytes make the search fail or last", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(200), (noise, at) => {
        for (const [file, isSound] of [
          [webmOf(2), isWebmSound],
          [mp4Of("soun"), isMp4Sound],
        ] as const) {
          file.set(noise.subarray(0, Math.max(0, file.length - at)), Math.min(at, file.length));
          expect(typeof isSound(file)).toBe("boolean");
        }
      }),
    );
    // Elements without an end, and boxes in boxes.
    expect(isWebmSound(new Uint8Array(100_000).fill(0xae))).toBe(false);
    expect(isMp4Sound(new Uint8Array(Buffer.from("\0\0\0\0moov".repeat(50_000), "latin1")))).toBe(false);
  });
});
