import type { Receipt, ReceiptKeysResponse, SignedDecision } from "@parley/protocol/card-calls";
import type { Components } from "@parley/protocol/cards";

/** A receipt that does not prove what it should. */
export class ReceiptError extends Error {
  override readonly name = "ReceiptError";
}

/** What was asked: the text and the card of the message, as its record has them. */
export interface AskedPayload {
  content: string;
  components?: Components | undefined;
}

/**
 * Verifies a receipt by keys of `/.well-known/parley-keys.json` and returns what the server signed. With `asked` it also
 * checks that people answered that text and card. Keep the keys from when you trusted the server, to need no trust
 * in its later answers.
 * @throws ReceiptError
 */
export async function verifyReceipt(
  receipt: Receipt,
  keys: ReceiptKeysResponse["keys"],
  asked?: AskedPayload,
): Promise<SignedDecision> {
  const found = keys.find(({ key_id }) => key_id === receipt.key_id);
  if (found === undefined) throw new ReceiptError(`The key ${receipt.key_id} is unknown.`);
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", bytesOf(found.public_key), "Ed25519", false, ["verify"]);
  const isSigned = await subtle.verify("Ed25519", key, bytesOf(receipt.signature), utf8(receipt.signed));
  if (!isSigned) throw new ReceiptError("The signature is not of this text.");
  const decision = JSON.parse(receipt.signed) as SignedDecision;
  if (decision.type !== "parley.decision.v1") throw new ReceiptError("The signed text is not a decision.");
  if (asked !== undefined && (await payloadHash(asked)) !== decision.payload_hash)
    throw new ReceiptError("The receipt is for another text or card.");
  return decision;
}

async function payloadHash({ content, components }: AskedPayload): Promise<string> {
  const hash = await globalThis.crypto.subtle.digest("SHA-256", utf8(JSON.stringify([content, components])));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
