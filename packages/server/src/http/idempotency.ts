import { createHash } from "node:crypto";
import type { AppContext } from "../context.ts";
import { perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { Identity } from "./identity.ts";
import { identitySubject } from "./rates.ts";
import { ReadyJson, type Route } from "./route.ts";

/** Keys of creating POSTs are kept this long (contract, section 0). */
export const KEPT_MS = 24 * 3600 * 1000;

const KEY = /^[\x21-\x7e]{8,255}$/;

interface Exchange {
  ctx: AppContext;
  caller: Identity;
  address: string;
  bodyText: string;
  params: unknown;
  query: unknown;
  body: unknown;
  requestId: string;
  request: Request;
  headers: Headers;
}

interface Kept {
  hash: string;
  answer: ReadyJson;
}

/** Requests under way, by actor and key: a twin waits for the first and repeats its answer (contract, section 11). */
const underWay = perServer(() => new Map<string, Promise<Kept>>());

/**
 * Runs a creating handler once per key. The answer is stored in the transaction of what it created, so a crash keeps both or neither.
 * Errors: `idempotency_key_invalid`, `idempotency_conflict`.
 */
export async function runOnce(route: Route, exchange: Exchange, key: string): Promise<ReadyJson> {
  if (!KEY.test(key)) throw fail("idempotency_key_invalid");
  const { ctx } = exchange;
  const actorKey = identitySubject(exchange.caller, exchange);
  const hash = createHash("sha256")
    .update(`${route.method} ${exchange.request.url}\n${exchange.bodyText}`)
    .digest("hex");
  const slot = `${actorKey} ${key}`;
  const twin = underWay(ctx).get(slot);
  if (twin !== undefined) return replay(await twin, hash);
  let first = false;
  const work = findKept(ctx, actorKey, key).then((kept) => {
    if (kept !== null) return kept;
    first = true;
    return create(route, exchange, actorKey, key, hash);
  });
  underWay(ctx).set(slot, work);
  try {
    const kept = await work;
    return first ? kept.answer : replay(kept, hash);
  } finally {
    underWay(ctx).delete(slot);
  }
}

async function create(route: Route, exchange: Exchange, actorKey: string, key: string, hash: string): Promise<Kept> {
  return transact(exchange.ctx, async (ctx) => {
    exchange.ctx = ctx;
    const made = await route.handle(exchange);
    const answer =
      made instanceof ReadyJson ? made : new ReadyJson(JSON.stringify({ success: true, ...made }), route.status ?? 200);
    await ctx.db
      .insertInto("idempotency_keys")
      .values({
        actor_key: actorKey,
        key,
        route: `${route.method} ${route.path}`,
        body_hash: hash,
        status: answer.status,
        response: answer.json,
        created_at: ctx.clock.now(),
      })
      .execute();
    return { hash, answer };
  });
}

async function findKept(ctx: AppContext, actorKey: string, key: string): Promise<Kept | null> {
  const row = await ctx.db
    .selectFrom("idempotency_keys")
    .select(["body_hash", "status", "response", "created_at"])
    .where("actor_key", "=", actorKey)
    .where("key", "=", key)
    .executeTakeFirst();
  if (row === undefined || row.response === null) return null;
  if (row.created_at < ctx.clock.now() - KEPT_MS) {
    await ctx.db.deleteFrom("idempotency_keys").where("actor_key", "=", actorKey).where("key", "=", key).execute();
    return null;
  }
  return { hash: row.body_hash, answer: new ReadyJson(row.response, row.status ?? 200) };
}

/** The first answer again, marked; 200, because the record existed already. */
function replay(kept: Kept, hash: string): ReadyJson {
  if (kept.hash !== hash) throw fail("idempotency_conflict");
  return new ReadyJson(`${kept.answer.json.slice(0, -1)},"deduplicated":true}`, 200);
}

/** Forgets keys past their time; run by the server's sweep. */
export async function sweepIdempotencyKeys(ctx: AppContext): Promise<void> {
  await ctx.db
    .deleteFrom("idempotency_keys")
    .where("created_at", "<", ctx.clock.now() - KEPT_MS)
    .execute();
}
