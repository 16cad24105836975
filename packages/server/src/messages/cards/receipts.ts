import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Receipt, ReceiptKeysResponse, SignedDecision } from "@parley/protocol/card-calls";
import type { Components } from "@parley/protocol/cards";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import {
  currentSigningKey,
  findSigningKeys,
  insertSigningKey,
  retireBelow,
  type SigningKeyRow,
} from "./signing-keys.store.ts";

type KeyContext = Pick<AppContext, "db" | "clock">;

/** A signed text, as it is stored. */
export type StoredReceipt = Pick<Receipt, "key_id" | "signed" | "signature">;

/** Returns what a press agrees to: the hash of the message's text and card, as everybody can compute it. */
export const payloadHash = (content: string, components: Components): string =>
  createHash("sha256")
    .update(JSON.stringify([content, components]))
    .digest("hex");

/** Signs how an interaction ended, with the server's current key. */
export async function signDecision(ctx: KeyContext, decision: SignedDecision): Promise<StoredReceipt> {
  const { key_id, private_key } = await signingKey(ctx);
  const key = createPrivateKey({ key: Buffer.from(private_key, "base64"), format: "der", type: "pkcs8" });
  const signed = JSON.stringify(decision);
  return { key_id, signed, signature: sign(null, Buffer.from(signed), key).toString("base64") };
}

/** Returns a stored receipt as on the wire. */
export function receiptOf(stored: StoredReceipt): Receipt {
  const { payload_hash, result, decided_at } = JSON.parse(stored.signed) as SignedDecision;
  return { payload_hash, result, decided_at, ...stored };
}

/**
 * Returns the key that signs receipts. It is made once and stored in the database, so that all nodes and every backup
 * have it. Nodes that make it at the same time keep the first one.
 */
async function signingKey(ctx: KeyContext): Promise<SigningKeyRow> {
  const found = await currentSigningKey(ctx.db);
  if (found !== undefined) return found;
  await insertSigningKey(ctx.db, newKey(1, ctx.clock.now()));
  const stored = await currentSigningKey(ctx.db);
  if (stored === undefined) throw new Error("The key that signs receipts is not stored.");
  return stored;
}

/** Makes a new key, which signs from now on. The old ones stay published, so that their receipts can be verified. */
export async function rotateSigningKey(ctx: KeyContext): Promise<string> {
  const { generation } = await signingKey(ctx);
  await insertSigningKey(ctx.db, newKey(generation + 1, ctx.clock.now()));
  await retireBelow(ctx.db, generation + 1, ctx.clock.now());
  return (await signingKey(ctx)).key_id;
}

/** Returns the public keys for /.well-known/parley-keys.json. */
export async function publishedKeys(ctx: KeyContext): Promise<Omit<ReceiptKeysResponse, "success">> {
  await signingKey(ctx);
  const rows = await findSigningKeys(ctx.db);
  return {
    keys: rows.map(({ key_id, public_key, created_at, retired_at }) => {
      const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
      return {
        key_id,
        algorithm: "Ed25519",
        public_key: rawOf(key).toString("base64"),
        public_key_pem: String(key.export({ format: "pem", type: "spki" })),
        created_at: isoTime(created_at),
        retired_at: isoTimeOrNull(retired_at),
      };
    }),
  };
}

function newKey(generation: number, now: number): SigningKeyRow {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    generation,
    key_id: createHash("sha256").update(rawOf(publicKey)).digest("hex").slice(0, 16),
    public_key: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    private_key: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    created_at: now,
    retired_at: null,
  };
}

/** Returns the 32 bytes of a public key. */
const rawOf = (key: KeyObject): Buffer => Buffer.from(String(key.export({ format: "jwk" }).x), "base64url");
