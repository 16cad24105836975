import { createHash, createHmac } from "node:crypto";

/** What a split is made of besides its seed. All of it is in the packet's record. */
export interface SplitTerms {
  readonly type: "equal" | "random";
  /** In the smallest unit, up to 2^256 - 1. */
  readonly total: bigint;
  readonly count: number;
  /** The least anybody gets: 1 for points, more where each share is paid out on a chain. */
  readonly minShare: bigint;
}

/** Names this algorithm: in the record, in the commitment and in every block of the stream. Another algorithm gets another name. */
export const SPLIT_ALGORITHM = "parley-red-packet-1";

/** Numbers up to here fit into 32 bits. */
const SMALL = 2n ** 32n;

/** Bytes of a seed. */
export const SEED_BYTES = 32;

/** Amounts are 256-bit words. */
export const AMOUNT_LIMIT = 2n ** 256n;

/**
 * What a packet commits to when it is made: SHA-256, in hex, over six lines without a last line feed (docs/guide/red-packets.md). Whoever is
 * shown the seed later can tell that neither it nor the terms were changed in between.
 */
export function commitmentOf({ type, total, count, minShare }: SplitTerms, seed: Uint8Array): string {
  const lines = [SPLIT_ALGORITHM, type, total, count, minShare, Buffer.from(seed).toString("hex")];
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/**
 * The shares by rank, the first claim's first: as many as `count`, each at least `minShare`, in sum exactly `total`. The same seed gives the
 * same shares for ever. Equal: the floor, and one unit more for each of the first as far as there is a remainder. Random: the double mean, each share
 * drawn between 1 and twice the mean of what is left, then shuffled, so that every rank can expect the same.
 */
export function sharesOf(terms: SplitTerms, seed: Uint8Array): bigint[] {
  const { type, total, count, minShare } = terms;
  if (minShare < 1n || total < minShare * BigInt(count)) throw new Error(`${total} cannot be split into ${count}.`);
  return type === "equal" ? equalShares(total, count) : randomShares(terms, new SeedStream(seed));
}

function equalShares(total: bigint, count: number): bigint[] {
  const floor = total / BigInt(count);
  const remainder = Number(total % BigInt(count));
  return Array.from({ length: count }, (_, rank) => (rank < remainder ? floor + 1n : floor));
}

function randomShares(terms: SplitTerms, stream: SeedStream): bigint[] {
  return shuffled(2n * terms.total < SMALL ? smallShares(terms, stream) : drawnShares(terms, stream), stream);
}

/** The same as `drawnShares` in plain numbers, which is what points are: three times as fast. */
function smallShares({ total, count, minShare }: SplitTerms, stream: SeedStream): bigint[] {
  const base = Number(minShare) - 1;
  let rest = Number(total) - base * count;
  const shares: bigint[] = [];
  for (let left = count; left > 1; left -= 1) {
    const share = 1 + stream.smallBelow(Math.floor((2 * rest) / left) - 1);
    shares.push(BigInt(base + share));
    rest -= share;
  }
  shares.push(BigInt(base + rest));
  return shares;
}

function drawnShares({ total, count, minShare }: SplitTerms, stream: SeedStream): bigint[] {
  const base = minShare - 1n;
  let rest = total - base * BigInt(count);
  const shares: bigint[] = [];
  for (let left = count; left > 1; left -= 1) {
    const share = 1n + stream.below((2n * rest) / BigInt(left) - 1n);
    shares.push(base + share);
    rest -= share;
  }
  shares.push(base + rest);
  return shares;
}

/** Fisher-Yates, from the end. */
function shuffled(shares: readonly bigint[], stream: SeedStream): bigint[] {
  const result = [...shares];
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = stream.smallBelow(at + 1);
    const [a, b] = [result[at], result[other]];
    if (a === undefined || b === undefined) throw new Error("The stream left its range.");
    result[at] = b;
    result[other] = a;
  }
  return result;
}

/**
 * Numbers out of a seed. Block n of its bytes is HMAC-SHA256, keyed with the seed, of the algorithm's name, a colon and n in decimal, from 0.
 */
class SeedStream {
  readonly #seed: Uint8Array;
  #blocks = 0;
  #block = Buffer.alloc(0);
  #at = 0;

  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  /**
   * Uniform in [0, limit). Takes as many bytes as `limit - 1` fills, big-endian, cuts the first to its bits, and takes the next when the
   * number is not below the limit. Of one possible number none is taken.
   */
  below(limit: bigint): bigint {
    if (limit === 1n) return 0n;
    if (limit <= SMALL) return BigInt(this.smallBelow(Number(limit)));
    const bits = (limit - 1n).toString(2).length;
    const length = Math.ceil(bits / 8);
    const mask = (1n << BigInt(bits)) - 1n;
    for (;;) {
      let number = 0n;
      for (let n = 0; n < length; n += 1) number = number * 256n + BigInt(this.#next());
      number &= mask;
      if (number < limit) return number;
    }
  }

  /** The same in plain numbers, which is what points are: ten times as fast. */
  smallBelow(limit: number): number {
    const bits = 32 - Math.clz32(limit - 1);
    const length = Math.ceil(bits / 8);
    for (;;) {
      let number = 0;
      for (let n = 0; n < length; n += 1) number = number * 256 + this.#next();
      number %= 2 ** bits;
      if (number < limit) return number;
    }
  }

  #next(): number {
    if (this.#at === this.#block.length) {
      this.#block = createHmac("sha256", this.#seed).update(`${SPLIT_ALGORITHM}:${this.#blocks}`).digest();
      this.#blocks += 1;
      this.#at = 0;
    }
    return this.#block[this.#at++] ?? 0;
  }
}
