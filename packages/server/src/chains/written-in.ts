import { getBase58Encoder } from "@solana/kit";
import type { ChainKind, Observed } from "./chain.ts";

/**
 * True if a transaction has that reference (in the form of `Chain.reference`) anywhere in it, as bytes or as text: in the data of a contract
 * wallet or in a memo, say, where it is no reference, and everybody can read it all the same.
 */
export function isWrittenIn({ data = "" }: Pick<Observed, "data">, kind: ChainKind, reference: string): boolean {
  if (data === "") return false;
  const bytes = Buffer.from(data, "hex");
  const text = bytes.toString("latin1");
  if (kind === "solana") return text.includes(reference) || bytes.includes(solanaBytes(reference));
  const digits = reference.replace(/^0x/, "").toLowerCase();
  return data.includes(digits) || text.toLowerCase().includes(digits);
}

const solanaBytes = (reference: string): Uint8Array => Uint8Array.from(getBase58Encoder().encode(reference));
