/** Small JPEGs that are expensive to decode: progressive ones with as many scans as fit. */

const SIDE = 1_024;
const BLOCKS = (SIDE / 8) ** 2;
const word = (value: number): number[] => [value >> 8, value & 0xff];
const segment = (marker: number, data: readonly number[]): number[] => [
  0xff,
  marker,
  ...word(data.length + 2),
  ...data,
];

/** A Huffman table with one code, the single bit 0. `place`: class and identifier. */
const oneCode = (place: number, symbol: number): number[] =>
  segment(0xc4, [place, 1, ...new Array<number>(15).fill(0), symbol]);

/** A scan's header. `band`: the first and the last coefficient. */
const scan = (band: readonly [number, number]): number[] => segment(0xda, [1, 1, 0, ...band, 0]);

/** The symbol that skips 2^14 blocks, plus the number in the 14 bits that follow its code. */
const SKIP_ALL = 0xe0;
/**
 * The code of that symbol and zeros: skips all blocks of the picture in two bytes. Padded with ones, as the format
 * requires.
 */
const SKIPPED = [0x00, 0x01];

/**
 * Returns a grey picture of 1024 × 1024 with one scan of base colours and `scans - 1` scans that change nothing. A
 * decoder walks over all blocks in each scan.
 */
export function jpegOfScans(scans: number): Buffer {
  const quantization = segment(0xdb, [0, ...new Array<number>(64).fill(1)]);
  const frame = segment(0xc2, [8, ...word(SIDE), ...word(SIDE), 1, 1, 0x11, 0]);
  const head = [0xff, 0xd8, ...quantization, ...frame, ...oneCode(0x00, 0), ...oneCode(0x10, SKIP_ALL)];
  const base = [...scan([0, 0]), ...new Array<number>(BLOCKS / 8).fill(0)];
  const idle = [...scan([1, 63]), ...SKIPPED];
  return Buffer.concat([
    Buffer.from(head),
    Buffer.from(base),
    ...new Array<Buffer>(scans - 1).fill(Buffer.from(idle)),
    Buffer.from([0xff, 0xd9]),
  ]);
}
