// crypto.subtle is missing on pages served over plain http, where splits must be checkable too.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { ReadPacketResponse } from "@parley/protocol/red-packets";

/** Implements docs/guide/red-packets.md, "The algorithm", independently of the server's code. */
const ALGORITHM = "parley-red-packet-1";

type Terms = Pick<ReadPacketResponse["red_packet"], "split_type" | "total_amount" | "count" | "fairness">;

/** `problem`: what does not match the promise. */
export type Verdict =
  | { isFair: true; shares: bigint[] }
  | { isFair: false; problem: "commitment" | "shares" | "unknown" };

/** Recomputes a closed packet's split from its public record: checks the seed against the commitment, and each rank's share. */
export function verdictOf({ red_packet: packet, claims }: Pick<ReadPacketResponse, "red_packet" | "claims">): Verdict {
  const { algorithm, commitment, min_share, seed } = packet.fairness;
  if (algorithm !== ALGORITHM || seed === null) return { isFair: false, problem: "unknown" };
  const lines = [ALGORITHM, packet.split_type, packet.total_amount, packet.count, min_share, seed];
  const hash = sha256(new TextEncoder().encode(lines.join("\n")));
  if (hexOf(hash) !== commitment) return { isFair: false, problem: "commitment" };
  const shares = sharesOf(packet, bytesOf(seed));
  const isFair = claims.every(({ rank, amount }) => shares[rank - 1] === BigInt(amount));
  return isFair ? { isFair, shares } : { isFair, problem: "shares" };
}

/** Returns the share of each rank, in the order of claims. */
export function sharesOf({ split_type, total_amount, count, fairness }: Terms, seed: Uint8Array): bigint[] {
  const total = BigInt(total_amount);
  if (split_type === "equal") {
    const [each, rest] = [total / BigInt(count), total % BigInt(count)];
    return Array.from({ length: count }, (_, rank) => (BigInt(rank) < rest ? each + 1n : each));
  }
  const below = drawing(seed);
  const base = BigInt(fairness.min_share) - 1n;
  const shares: bigint[] = [];
  let rest = total - base * BigInt(count);
  for (let left = BigInt(count); left > 1n; left -= 1n) {
    const share = 1n + below((2n * rest) / left - 1n);
    shares.push(base + share);
    rest -= share;
  }
  shares.push(base + rest);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Number(below(BigInt(at + 1)));
    const [a = 0n, b = 0n] = [shares[at], shares[other]];
    shares[at] = b;
    shares[other] = a;
  }
  return shares;
}

/** Returns a function that draws numbers below a limit from the seed's stream. */
function drawing(seed: Uint8Array): (limit: bigint) => bigint {
  let stream = "";
  let blocks = 0;
  return (limit) => {
    if (limit === 1n) return 0n;
    const bits = (limit - 1n).toString(2).length;
    const digits = Math.ceil(bits / 8) * 2;
    for (;;) {
      while (stream.length < digits) {
        stream += hexOf(hmac(sha256, seed, new TextEncoder().encode(`${ALGORITHM}:${blocks}`)));
        blocks += 1;
      }
      const number = BigInt.asUintN(bits, BigInt(`0x${stream.slice(0, digits)}`));
      stream = stream.slice(digits);
      if (number < limit) return number;
    }
  };
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
