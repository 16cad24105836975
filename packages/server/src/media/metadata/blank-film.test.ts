import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { blankMp4, blankWebm } from "./blank-film.ts";

const box = (type: string, ...parts: (Uint8Array | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
};
const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value, n * 4);
  return bytes;
};
const PLACE = "+48.8577+002.295/";
const FILM = "frames of the film";
const RIDE = "GPS5 48.8577 2.2950 ";

/** A film as phones and action cameras write it: places in user data, in metadata, in XMP, and in a track of data. */
function phoneFilm(): Buffer {
  const ftyp = box("ftyp", "isom", uint32(0), "mp42");
  const mdat = box("mdat", FILM, RIDE, RIDE);
  const rides = ftyp.length + 8 + FILM.length;
  const stbl = box(
    "stbl",
    box("stsc", uint32(0, 1, 1, 2, 1)),
    box("stsz", uint32(0, 0, 2, RIDE.length, RIDE.length)),
    box("stco", uint32(0, 1, rides)),
  );
  const data = box("trak", box("mdia", box("hdlr", uint32(0, 0), "meta"), box("minf", stbl)));
  const film = box("trak", box("mdia", box("hdlr", uint32(0, 0), "vide")), box("udta", "name of the owner"));
  const moov = box(
    "moov",
    box("mvhd", "header"),
    film,
    data,
    box("udta", box("\xa9xyz", PLACE)),
    box("meta", `com.apple.quicktime.location.ISO6709${PLACE}`),
  );
  return Buffer.concat([ftyp, mdat, moov, box("uuid", "0123456789abcdef", `<x:xmpmeta>${PLACE}`), box("free", PLACE)]);
}

describe("blankMp4", () => {
  test("removes places, and moves nothing", () => {
    const film = phoneFilm();
    const { length } = film;
    const at = film.indexOf(FILM);
    expect(blankMp4(film)).toBe(true);
    for (const secret of [PLACE, "owner", "GPS5", "48.8577", "xmpmeta"]) expect(film.includes(secret)).toBe(false);
    expect([film.length, film.indexOf(FILM)]).toEqual([length, at]);
    expect(film.includes("vide")).toBe(true);
    expect(blankMp4(film)).toBe(false);
  });

  test("reads sizes of 64 bits, boxes that reach to the end, and a film that is cut", () => {
    const wide = Buffer.concat([uint32(1), Buffer.from("udta"), uint32(0, 16 + PLACE.length), Buffer.from(PLACE)]);
    const open = Buffer.concat([uint32(0), Buffer.from("moov"), box("udta", PLACE)]);
    const film = Buffer.concat([wide, open]);
    expect(blankMp4(film)).toBe(true);
    expect(film.includes(PLACE)).toBe(false);
    const cut = phoneFilm().subarray(0, -10);
    expect(blankMp4(cut)).toBe(true);
    expect(cut.includes(PLACE)).toBe(false);
  });

  test("stops at floods of boxes, and survives any bytes", () => {
    expect(blankMp4(Buffer.concat(Array.from({ length: 200_001 }, () => box("wide"))))).toBe("too_much");
    // Tables that name the whole film as each of many samples.
    const film = phoneFilm();
    const stbl = box(
      "stbl",
      box("stsc", uint32(0, 1, 1, 1e6, 1)),
      box("stsz", uint32(0, film.length, 1e6)),
      box("stco", uint32(0, 1, 0)),
    );
    const many = box("moov", box("trak", box("mdia", box("hdlr", uint32(0, 0), "meta"), box("minf", stbl))));
    expect(blankMp4(Buffer.concat([many, film]))).toBe("too_much");
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 900 }), fc.nat({ max: 255 })), { maxLength: 20 }), (changes) => {
        const film = phoneFilm();
        for (const [at, byte] of changes) film[at % film.length] = byte;
        const { length } = film;
        blankMp4(film);
        expect(film.length).toBe(length);
      }),
      { numRuns: 2_000 },
    );
  });
});

const element = (id: string, content: Buffer | string, size?: string): Buffer => {
  const bytes = Buffer.from(content as string, "latin1");
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, "hex"), size === undefined ? length : Buffer.from(size, "hex"), bytes]);
};

describe("blankWebm", () => {
  const tags = element("1254c367", `LOCATION ${PLACE}`);

  test.each([
    ["of known size", undefined],
    ["that was recorded live", "01ffffffffffffff"],
  ])("removes the tags of a film %s", (_, size) => {
    const cluster = element("1f43b675", element("a3", FILM), size);
    const film = Buffer.concat([
      element("1a45dfa3", "webm"),
      element("18538067", Buffer.concat([cluster, tags]), size),
    ]);
    const { length } = film;
    expect(blankWebm(film)).toBe(true);
    expect([film.includes(PLACE), film.includes(FILM), film.length]).toEqual([false, true, length]);
    expect(blankWebm(film)).toBe(false);
  });

  test("survives any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        blankWebm(Buffer.concat([element("1a45dfa3", "webm"), Buffer.from(bytes)]));
      }),
      { numRuns: 2_000 },
    );
  });
});
