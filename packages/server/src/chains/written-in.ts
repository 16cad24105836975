import type { ChainKind, Observed } from "./chain.ts";

/**
 * True if a transaction has that reference (in the form of `Chain.reference`) anywhere in it, as bytes or as text: in the data of a contract
 * wallet or in a memo, say, where it is no reference, and everybody can read it all the same.
 */
export async function isWrittenIn(
  { data = "" }: Pick<Observed, "data">,
  kind: ChainKind,
  reference: string,
): Promise<boolean> {
  if (data === "") return false;
  const bytes = Buffer.from(data, "hex");
  const text = bytes.toString("latin1");
  if (kind === "solana") return text.includes(reference) || bytes.includes(await solanaBytes(reference));
  const digits = reference.replace(/^0x/, "").toLowerCase();
  return data.includes(digits) || text.toLowerCase().includes(digits);
}

/** The library is loaded when the first reference of Solana comes: servers without that chain never pay for it. */
async function solanaBytes(reference: string): Promise<Uint8Array> {
  const { getBase58Encoder } = await import("@solana/kit");
  return Uint8Array.from(getBase58Encoder().encode(reference));
}
