import { createHash } from "node:crypto";
import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

/** For how long after a message expired a retry of it is still known. */
const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

const hashOf = (clientKey: string): string => createHash("sha256").update(clientKey).digest("base64");

/** Remembers the client keys of expired messages, in the transaction that removes them. */
export async function rememberKeys(ctx: AppContext, rows: readonly MessageRow[]): Promise<void> {
  const expired_at = ctx.clock.now();
  const spent = rows.flatMap(({ id, seq, client_key, client_msg_id, client_hash, created_at }) =>
    // Keys that the server made for itself are never sent again.
    client_key === null || client_msg_id === null
      ? []
      : [{ key_hash: hashOf(client_key), client_hash, message_id: id, seq, sent_at: created_at, expired_at }],
  );
  if (spent.length === 0) return;
  await ctx.db
    .insertInto("spent_keys")
    .values(spent)
    .onConflict((conflict) => conflict.column("key_hash").doNothing())
    .execute();
}

/** An expired message, as a retry finds it. */
export interface SpentKey {
  client_hash: string | null;
  message_id: number;
  seq: number;
  sent_at: Millis;
  expired_at: Millis;
}

/** Returns the expired messages that were sent under these client keys, by key. */
export async function findSpentKeys(ctx: AppContext, clientKeys: readonly string[]): Promise<Map<string, SpentKey>> {
  if (clientKeys.length === 0) return new Map();
  const keys = new Map(clientKeys.map((key) => [hashOf(key), key]));
  const rows = await ctx.db
    .selectFrom("spent_keys")
    .selectAll()
    .where("key_hash", "in", [...keys.keys()])
    .execute();
  return new Map(rows.map((row) => [keys.get(row.key_hash) ?? "", row]));
}

/** Forgets keys whose messages expired long ago. */
export async function forgetSpentKeys(ctx: AppContext): Promise<void> {
  await ctx.db
    .deleteFrom("spent_keys")
    .where("expired_at", "<=", ctx.clock.now() - REMEMBERED_MS)
    .execute();
}
