import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mp4Of, webmOf } from "../../../test/support/files/sounds.ts";
import { isMp4Sound, isWebmSound } from "./sound-alone.ts";

const CLUSTER = Buffer.from("1f43b675", "hex");
const TRACKS = Buffer.from("1654ae6b", "hex");

/** Returns a WebM file with some bytes, and with the tracks of another, before its first cluster. */
function withTracks(file: Uint8Array, between: Uint8Array, other: Uint8Array): Uint8Array {
  const [bytes, others] = [Buffer.from(file), Buffer.from(other)];
  const more = others.subarray(others.indexOf(TRACKS), others.indexOf(CLUSTER));
  const at = bytes.indexOf(CLUSTER);
  return Buffer.concat([bytes.subarray(0, at), between, more, bytes.subarray(at)]);
}

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

  test("and not if what is looked at ends before all its tracks are known", () => {
    const voids = Buffer.from("ec80".repeat(10_000), "hex");
    const nameless = Buffer.from("0000", "hex");
    const endless = Buffer.from("ecff", "hex");
    for (const between of [voids, nameless, endless])
      expect(isWebmSound(withTracks(webmOf(2), between, webmOf(1)))).toBe(false);
    // A type that is in no track does not change that of the one before it.
    expect(isWebmSound(withTracks(webmOf(1), Buffer.from("838102", "hex"), webmOf(2)))).toBe(false);
    expect(isWebmSound(withTracks(webmOf(2), Buffer.from("ec80", "hex"), webmOf(2)))).toBe(true);
    // Without its clusters it is still whole.
    const whole = webmOf(2);
    expect(isWebmSound(whole.subarray(0, Buffer.from(whole).indexOf(CLUSTER)))).toBe(true);
  });

  test("and a handler outside a track of an MP4 file does not change that of the track", () => {
    const film = Buffer.from(mp4Of("vide"));
    const stray = Buffer.from("\0\0\0\x18hdlr\0\0\0\0\0\0\0\0soun\0\0\0\0", "latin1");
    expect(isMp4Sound(Buffer.concat([film, stray]))).toBe(false);
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
