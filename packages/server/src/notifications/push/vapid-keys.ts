import webPush from "web-push";
import { type AppContext, perServer } from "../../context.ts";
import { findKeys, insertKeys, type KeysRow } from "./subscriptions.store.ts";

const known = perServer((): { keys: KeysRow | null } => ({ keys: null }));

/**
 * Returns the server's keys for push services (VAPID, RFC 8292). They are made once and stored in the database, because
 * each subscription belongs to the key that it was made with. Nodes that make them at the same time keep the first ones.
 */
export async function vapidKeys(ctx: AppContext): Promise<KeysRow> {
  const kept = known(ctx);
  if (kept.keys !== null) return kept.keys;
  let keys = await findKeys(ctx.db);
  if (keys === undefined) {
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const made = { public_key: publicKey, private_key: privateKey, created_at: ctx.clock.now() };
    await insertKeys(ctx.db, made);
    keys = await findKeys(ctx.db);
  }
  if (keys === undefined) throw new Error("The keys for push messages are not stored.");
  kept.keys = keys;
  return keys;
}
