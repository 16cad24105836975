import type { ChainKind, Observed } from "./chain.ts";

/**
 * Returns true if a transaction contains that reference (formatted by `Chain.reference`) anywhere, as bytes or as text:
 * for example in the calldata of a contract wallet or in a memo. There it does not bind the
 * transfer, but everyone can read it.
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

/** Loads the library with the first Solana reference, so servers without that chain never load it. */
async function solanaBytes(reference: string): Promise<Uint8Array> {
  const { getBase58Encoder } = await import("@solana/kit");
  return Uint8Array.from(getBase58Encoder().encode(reference));
}
