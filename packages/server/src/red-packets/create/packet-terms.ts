import { createHash } from "node:crypto";
import { CreatePacketBody as Body, type CreatePacketBody } from "@parley/protocol/red-packets";
import { fail } from "../../errors.ts";
import { AMOUNT_LIMIT, type SplitTerms } from "../claim/split.ts";

/** Returns what is to be split, from a body that matches its schema. Errors: `invalid_amount`, `share_too_small`. */
export function splitTerms(
  { total_amount, count, split_type }: Pick<CreatePacketBody, "total_amount" | "count" | "split_type">,
  minShare: bigint,
): SplitTerms {
  const total = BigInt(total_amount);
  if (total >= AMOUNT_LIMIT || total < BigInt(count)) throw fail("invalid_amount");
  const least = minShare * BigInt(count);
  if (total < least)
    throw fail("share_too_small", { details: { min_share: String(minShare), min_total: String(least) } });
  return { type: split_type ?? "random", total, count, minShare };
}

/** Returns the SHA-256, in base64, of all fields of the schema, in its order: bodies with the same one are the same. */
export function bodyFingerprint(body: CreatePacketBody): string {
  const fields = Object.keys(Body.properties).map((name) => body[name as keyof CreatePacketBody] ?? null);
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64");
}
