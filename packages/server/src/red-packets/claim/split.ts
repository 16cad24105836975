import { createHash, createHmac } from "node:crypto";
import type { ReadPacketResponse } from "@parley/protocol/red-packets";

/** The inputs of a split besides its seed, all of them in the packet's record. */
export interface SplitTerms {
  readonly type: "equal" | "random";
  /** In the smallest unit, up to 2^256 - 1. */
  readonly total: bigint;
  readonly count: number;
  /** The minimum share: 1 for points, more where each share is paid out on a chain. */
  readonly minShare: bigint;
}

/**
 * Names this algorithm: in the record, in the commitment and in every block of the stream. Another algorithm gets
 * another name.
 */
export const SPLIT_ALGORITHM = "parley-red-packet-1";

/** Numbers below this fit into 32 bits. */
const SMALL = 2n ** 32n;

/** Bytes of a seed. */
export const SEED_BYTES = 32;

/** Amounts are 256-bit words. */
export const AMOUNT_LIMIT = 2n ** 256n;

/**
 * Returns a new packet's commitment: SHA-256, in hex, over six lines without a final line feed
 * (docs/guide/red-packets.md). With the seed, anyone can later verify that neither it nor the terms were changed.
 */
export function commitmentOf({ type, total, count, minShare }: SplitTerms, seed: Uint8Array): string {
  const lines = [SPLIT_ALGORITHM, type, total, count, minShare, Buffer.from(seed).toString("hex")];
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/**
 * Returns the shares by rank, the first claim's first: `count` of them, each at least `minShare`, in sum exactly
 * `total`. Deterministic for a seed. Equal: the floor, and one unit more for each of the first until the remainder is
 * used up. Random: the double mean. `minShare - 1` is set aside for each share; to it comes a number drawn from 1 to
 * less than twice the mean of what is left, and the last share gets the rest. Then they are shuffled, so that every
 * rank has the same expectation.
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

/** `drawnShares` in plain numbers, for totals below 2^31: three times as fast. */
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
    if (a === undefined || b === undefined) throw new Error("The random stream is out of range.");
    result[at] = b;
    result[other] = a;
  }
  return result;
}

/**
 * A stream of numbers from a seed. Block n of its bytes is HMAC-SHA256, keyed with the seed, of the algorithm's name, a
 * colon and n in decimal, from 0.
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
   * Returns a uniform number in [0, limit). Reads as many bytes as `limit - 1` fills, big-endian, cuts the first to its
   * bits, and reads again if the number is not below the limit. Reads nothing if only one number is possible.
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

  /** The same in plain numbers, for limits up to 2^32: ten times as fast. */
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

/** The public part of a packet: the body of GET /api/red-packets/:packet_id. */
export type PublicPacket = Pick<ReadPacketResponse, "red_packet" | "claims">;

/**
 * Recomputes a closed packet's split from its public record alone and returns what differs from the promise: nothing if
 * the seed matches the commitment, every claim got the share of its rank, and claims, refund and rest add up to the
 * total (docs/guide/red-packets.md).
 */
export function splitProblems({ red_packet: packet, claims }: PublicPacket): string[] {
  const { algorithm, commitment, min_share, seed } = packet.fairness;
  if (algorithm !== SPLIT_ALGORITHM) return [`the algorithm ${algorithm} is unknown to this version`];
  if (seed === null) return ["the packet is not closed yet, so it does not show its seed"];
  const total = BigInt(packet.total_amount);
  const terms = { type: packet.split_type, total, count: packet.count, minShare: BigInt(min_share) };
  const bytes = Buffer.from(seed, "hex");
  if (commitmentOf(terms, bytes) !== commitment) return ["the seed and terms do not match the commitment"];
  const shares = sharesOf(terms, bytes);
  const wrong = claims.flatMap(({ rank, username, amount }) => {
    const share = shares[rank - 1];
    return share === BigInt(amount) ? [] : [`claim ${rank} by ${username} has ${amount}, but its share is ${share}`];
  });
  if (new Set(claims.map(({ rank }) => rank)).size < claims.length) wrong.push("two claims have the same rank");
  const claimed = claims.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const given = claimed + BigInt(packet.refund?.amount ?? 0) + BigInt(packet.remaining_amount);
  // A packet that was never funded had nothing to give.
  if (given !== total && packet.funding.status === "settled") wrong.push(`only ${given} of ${total} are accounted for`);
  return wrong;
}
