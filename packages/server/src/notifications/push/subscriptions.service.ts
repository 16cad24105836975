import { createECDH } from "node:crypto";
import { PUSH_SUBSCRIPTIONS_PER_USER } from "@parley/protocol/limits";
import type { PushSubscriptionRecord, SubscribePushBody } from "@parley/protocol/notifications";
import webPush from "web-push";
import { lockAccount } from "../../accounts/erase/erase.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { outgoing } from "../../outgoing/outgoing.ts";
import * as store from "./subscriptions.store.ts";
import { findKeys, insertKeys, type KeysRow } from "./subscriptions.store.ts";

const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;

/** Returns the public key that browsers subscribe with. Errors: `push_disabled`. */
export async function pushKey(ctx: AppContext): Promise<string> {
  assertEnabled(ctx);
  return (await vapidKeys(ctx)).public_key;
}

/** Lists the caller's subscriptions, newest first. Their endpoints are secrets, so only the service is shown. */
export async function ownSubscriptions(ctx: AppContext, caller: UserIdentity): Promise<PushSubscriptionRecord[]> {
  return (await store.listSubscriptions(ctx.db, caller.userId)).map((row) => record(row, caller));
}

/**
 * Checks a subscription before `subscribePush` stores it, outside the transaction, because it looks the endpoint up.
 * Errors: `push_disabled`, `invalid_request` (keys that are no keys), `invalid_url`, `overloaded`.
 */
export async function checkSubscription(
  ctx: AppContext,
  caller: UserIdentity,
  { endpoint, keys }: SubscribePushBody,
): Promise<void> {
  assertEnabled(ctx);
  assertKeys(storedKeys(keys));
  const purpose = { kind: "push" as const, owner: caller.key };
  await slowly(ctx, "dns", () => outgoing(ctx).check(endpoint, purpose));
}

/**
 * Subscribes the browser of the caller's session, until the session ends or the push service says that the subscription
 * is gone. The same endpoint again replaces its keys and its session; an eleventh one replaces the oldest.
 * `checkSubscription` has accepted it. Errors: `session_required` (the session ended meanwhile).
 */
export async function subscribePush(
  ctx: AppContext,
  caller: UserIdentity,
  { endpoint, keys: sent }: SubscribePushBody,
): Promise<PushSubscriptionRecord> {
  const keys = storedKeys(sent);
  const url = new URL(endpoint);
  return transact(ctx, async (ctx) => {
    const { userId, sessionId } = caller;
    if (!(await store.hasSession(ctx.db, sessionId))) throw fail("session_required");
    // Of two subscriptions at once, the second drops what the first leaves over.
    await lockAccount(ctx, userId);
    const row = { user_id: userId, session_id: sessionId, endpoint: url.href, ...keys, created_at: ctx.clock.now() };
    const id = await store.saveSubscription(ctx.db, row);
    // It may have been another user's, in the same browser.
    await store.forgetQueued(ctx.db, id);
    await store.deleteOldestSubscriptions(ctx.db, userId, PUSH_SUBSCRIPTIONS_PER_USER);
    return record(await store.findSubscription(ctx.db, id), caller);
  });
}

/** Ends one of the caller's subscriptions. Errors: `subscription_not_found`. */
export async function unsubscribePush(
  ctx: AppContext,
  { userId }: UserIdentity,
  id: number,
): Promise<{ subscription_id: number }> {
  if (!(await store.deleteSubscription(ctx.db, userId, id))) throw fail("subscription_not_found");
  return { subscription_id: id };
}

function assertEnabled(ctx: AppContext): void {
  if (!ctx.config.push) throw fail("push_disabled");
}

/** Returns the keys in base64url without padding, whichever alphabet of base64 they were sent in. */
const storedKeys = ({ p256dh, auth }: SubscribePushBody["keys"]): SubscribePushBody["keys"] => ({
  p256dh: inBase64Url(p256dh),
  auth: inBase64Url(auth),
});

const inBase64Url = (key: string): string => Buffer.from(key, "base64url").toString("base64url");

/** Throws unless the keys can encrypt: a point on the curve, and 16 bytes. */
function assertKeys({ p256dh, auth }: SubscribePushBody["keys"]): void {
  const isPoint = Buffer.from(p256dh, "base64url").byteLength === PUBLIC_KEY_BYTES && isOnCurve(p256dh);
  const isSecret = Buffer.from(auth, "base64url").byteLength === AUTH_BYTES;
  if (isPoint && isSecret) return;
  throw fail("invalid_request", {
    details: [{ path: isPoint ? "keys.auth" : "keys.p256dh", message: "is not a key of a push subscription" }],
  });
}

function isOnCurve(point: string): boolean {
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(Buffer.from(point, "base64url"));
    return true;
  } catch {
    return false;
  }
}

const record = (row: store.SubscriptionRow, { sessionId }: UserIdentity): PushSubscriptionRecord => ({
  subscription_id: row.id,
  service: new URL(row.endpoint).host,
  user_agent: row.user_agent,
  is_current: row.session_id === sessionId,
  created_at: isoTime(row.created_at),
  last_sent_at: isoTimeOrNull(row.last_sent_at),
});

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
