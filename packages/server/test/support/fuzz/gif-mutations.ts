import fc from "fast-check";
import { bytesOf, comment, header, hugeGif, LOOP, VALID_GIFS } from "../gifs.ts";

/**
 * Generates damaged files as an attacker would make them: cut, with flipped bits and changed lengths, with repeated and
 * moved pieces, or flooded with blocks.
 */
export function mutatedGifs(): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const base = fc.constantFrom(...Object.values(VALID_GIFS), hugeGif(3, 16));
  return fc.tuple(base, fc.array(change, { minLength: 1, maxLength: 4 })).map(([gif, changes]) => {
    let bytes: Uint8Array<ArrayBuffer> = gif;
    for (const act of changes) bytes = act(bytes);
    return bytes;
  });
}

type Change = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const place = fc.nat({ max: 100_000 });
const byte = fc.nat({ max: 255 });
const insert = (bytes: Uint8Array, at: number, piece: ArrayLike<number>): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...bytes.subarray(0, at), ...Array.from(piece), ...bytes.subarray(at)]);
const within = (bytes: Uint8Array, at: number): number => (bytes.length === 0 ? 0 : at % bytes.length);

/** Bytes that have a meaning at the start of a block. */
const PIECES: readonly number[][] = [
  [0x21],
  [0x21, 0xfe],
  [0x21, 0xf9, 4],
  [0x2c],
  [0x3b],
  [0],
  [0xff],
  LOOP,
  comment("x"),
  header(65_535, 65_535),
  [0x2c, 255, 255, 255, 255, 255, 255, 255, 255, 0xff, 2, 1, 0, 0],
  [0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0],
];
const FLOODS: readonly number[][] = [
  [0x21, 0xfe, 0],
  [0x21, 0, 0],
  [1, 0x44],
  [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
  [0x3b],
  [0],
];

const change: fc.Arbitrary<Change> = fc.oneof(
  place.map(
    (at): Change =>
      (bytes) =>
        bytes.slice(0, within(bytes, at)),
  ),
  fc.tuple(place, fc.nat({ max: 7 })).map(
    ([at, bit]): Change =>
      (bytes) => {
        const copy = bytes.slice();
        const index = within(copy, at);
        copy[index] = (copy[index] ?? 0) ^ (1 << bit);
        return copy;
      },
  ),
  fc.tuple(place, fc.oneof(byte, fc.constantFrom(0, 1, 254, 255))).map(
    ([at, value]): Change =>
      (bytes) => {
        const copy = bytes.slice();
        copy[within(copy, at)] = value;
        return copy;
      },
  ),
  fc.tuple(place, fc.constantFrom(...PIECES)).map(
    ([at, piece]): Change =>
      (bytes) =>
        insert(bytes, within(bytes, at), piece),
  ),
  fc.tuple(place, place, place).map(
    ([from, length, to]): Change =>
      (bytes) => {
        const start = within(bytes, from);
        return insert(bytes, within(bytes, to), bytes.subarray(start, start + (length % 64)));
      },
  ),
  fc.tuple(place, fc.constantFrom(...FLOODS), fc.nat({ max: 400 })).map(
    ([at, piece, times]): Change =>
      (bytes) =>
        insert(bytes, within(bytes, at), bytesOf(...Array<number[]>(times).fill(piece))),
  ),
);
