import { createHash } from "node:crypto";
import type { AppContext } from "../context.ts";
import { perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UploadedFile } from "./body/multipart.ts";
import type { Identity } from "./identity.ts";
import { identitySubject } from "./rates.ts";
import { type Answer, ReadyJson, type Route } from "./route.ts";

/** How long the keys of creating POSTs are kept (protocol §0). */
export const KEPT_MS = 24 * 3600 * 1000;

const MARK = ',"deduplicated":true}';
const KEY = /^[\x21-\x7e]{8,255}$/;

/**
 * Returns the key of a request whose handler deduplicates by itself, because its keys never expire. Errors:
 * `idempotency_key_invalid`.
 */
export function lastingKey({ headers }: Request): string | null {
  const key = headers.get("idempotency-key");
  if (key !== null && !KEY.test(key)) throw fail("idempotency_key_invalid");
  return key;
}

/**
 * The header of a send, for the document. Sends are deduplicated by `client_msg_id`; the general key is its fallback.
 */
export const SEND_KEY = {
  name: "Idempotency-Key",
  required: false,
  description: "Takes the place of `client_msg_id`, for ever: 8 to 255 visible ASCII characters.",
};

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
  file: UploadedFile;
  headers: Headers;
}

interface Kept {
  hash: string;
  /** As it is stored: without the fields that are shown once. */
  answer: ReadyJson;
  /** The answer to the request that made the record. */
  first: ReadyJson;
  /** True if this request found the answer of an earlier one. */
  isReplay: boolean;
}

/**
 * Requests in progress on this node, by actor and key: a concurrent duplicate waits for the first and repeats its answer
 * (protocol §0). Duplicates on other nodes wait in the database.
 */
const underWay = perServer(() => new Map<string, Promise<Kept>>());

/**
 * Runs a creating handler once per key. The answer is stored in the handler's transaction, so a crash keeps both or
 * neither.
 * Errors: `idempotency_key_invalid`, `idempotency_conflict`.
 */
export async function runOnce(route: Route, exchange: Exchange, key: string): Promise<ReadyJson> {
  if (!KEY.test(key)) throw fail("idempotency_key_invalid");
  const { ctx } = exchange;
  const actorKey = identitySubject(exchange.caller, exchange);
  // Excludes the host: a server may have several names.
  const path = exchange.request.url.replace(/^https?:\/\/[^/]*/, "");
  const hash = createHash("sha256")
    .update(`${route.method} ${path}\n${comparable(route, exchange)}`)
    .digest("hex");
  const slot = `${actorKey} ${key}`;
  const twin = underWay(ctx).get(slot);
  if (twin !== undefined) return replay(await twin, hash);
  const work = createOnce(route, exchange, { actorKey, key, hash });
  underWay(ctx).set(slot, work);
  try {
    const kept = await work;
    return kept.isReplay ? replay(kept, hash) : kept.first;
  } finally {
    underWay(ctx).delete(slot);
  }
}

/** A key of an actor, with the digest of what they sent with it. */
export interface Claim {
  actorKey: string;
  key: string;
  hash: string;
}

/** Takes the key before the handler runs: a duplicate on another node waits for the commit, then repeats its answer. */
function createOnce(route: Route, exchange: Exchange, claim: Claim): Promise<Kept> {
  return transact(exchange.ctx, async (ctx) => {
    const { actorKey, key, hash } = claim;
    if (!(await takeKey(ctx, route, claim))) {
      const kept = await findKept(ctx, actorKey, key);
      if (kept === null) throw new Error("An idempotency key is taken, but its answer is missing.");
      return { ...kept, first: kept.answer, isReplay: true };
    }
    exchange.ctx = ctx;
    const made = await route.handle(exchange);
    const first = jsonOf(route, made);
    const answer = route.secrets === undefined ? first : jsonOf(route, { ...made, ...hidden(route.secrets, made) });
    await storeAnswer(ctx, claim, answer);
    return { hash, answer, first, isReplay: false };
  });
}

/**
 * Stores a key with the answer to it, in the transaction that makes the record: for handlers that are long under way, and
 * know only then what they were sent. Returns false if a twin has the key.
 */
export async function keepAnswer(
  ctx: AppContext,
  route: Pick<Route, "method" | "path">,
  claim: Claim,
  answer: ReadyJson,
): Promise<boolean> {
  if (!(await takeKey(ctx, route, claim))) return false;
  await storeAnswer(ctx, claim, answer);
  return true;
}

/** Returns the answer that `keepAnswer` stored, marked as a duplicate; null: none. Errors: `idempotency_conflict`. */
export async function keptAnswer(ctx: AppContext, { actorKey, key, hash }: Claim): Promise<ReadyJson | null> {
  const kept = await findKept(ctx, actorKey, key);
  return kept === null ? null : replay(kept, hash);
}

/** Forgets the answer that `keepAnswer` may have stored, because the record in it is removed. */
export async function dropAnswer(ctx: AppContext, { actorKey, key }: Claim, answer: ReadyJson): Promise<void> {
  await ctx.db
    .deleteFrom("idempotency_keys")
    .where("actor_key", "=", actorKey)
    .where("key", "=", key)
    .where("response", "=", answer.json)
    .execute();
}

async function storeAnswer(ctx: AppContext, { actorKey, key }: Claim, answer: ReadyJson): Promise<void> {
  await ctx.db
    .updateTable("idempotency_keys")
    .set({ status: answer.status, response: answer.json })
    .where("actor_key", "=", actorKey)
    .where("key", "=", key)
    .execute();
}

const jsonOf = (route: Route, made: Answer): ReadyJson =>
  made instanceof ReadyJson ? made : new ReadyJson(JSON.stringify({ success: true, ...made }), route.status ?? 200);

/** Returns null for those fields that the record has. */
const hidden = (fields: readonly string[], record: object) =>
  Object.fromEntries(fields.filter((field) => field in record).map((field) => [field, null]));

/** Returns the text by which bodies are compared. */
function comparable({ secrets }: Route, { body, bodyText }: Exchange): string {
  if (secrets === undefined) return bodyText;
  const isSecret = new Set(secrets);
  return JSON.stringify(Object.entries(body as object).filter(([field]) => !isSecret.has(field)));
}

/** Stores the key without an answer. Returns false if it is taken; one that has expired is free. */
async function takeKey(
  ctx: AppContext,
  route: Pick<Route, "method" | "path">,
  { actorKey, key, hash }: Claim,
): Promise<boolean> {
  const now = ctx.clock.now();
  const taken = { route: `${route.method} ${route.path}`, body_hash: hash, created_at: now };
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto("idempotency_keys")
    .values({ actor_key: actorKey, key, ...taken })
    .onConflict((conflict) =>
      conflict
        .columns(["actor_key", "key"])
        .doUpdateSet({ ...taken, status: null, response: null })
        .where("idempotency_keys.created_at", "<", now - KEPT_MS),
    )
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

async function findKept(ctx: AppContext, actorKey: string, key: string): Promise<Pick<Kept, "hash" | "answer"> | null> {
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

/** Returns the first answer again, marked as a duplicate; status 200, because the record existed already. */
function replay(kept: Pick<Kept, "hash" | "answer">, hash: string): ReadyJson {
  if (kept.hash !== hash) throw fail("idempotency_conflict");
  const { json } = kept.answer;
  // The first answer may itself have been marked, if its record existed before.
  return new ReadyJson(json.endsWith(MARK) ? json : `${json.slice(0, -1)}${MARK}`, 200);
}

/** The key of a guest's registration. Stores nothing of the body, which contains a password. */
interface Registration {
  actorKey: string;
  key: string;
}

/** Stores which user a key has registered, in the registration's transaction. Errors: `idempotency_conflict`. */
export async function keepRegistration(
  ctx: AppContext,
  { actorKey, key }: Registration,
  userId: number,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto("idempotency_keys")
    .values({
      actor_key: actorKey,
      key,
      route: "POST /api/auth/register",
      body_hash: "",
      status: 201,
      response: JSON.stringify({ user_id: userId }),
      created_at: ctx.clock.now(),
    })
    .onConflict((conflict) => conflict.columns(["actor_key", "key"]).doNothing())
    .executeTakeFirstOrThrow();
  if (Number(numInsertedOrUpdatedRows ?? 0) === 0) throw fail("idempotency_conflict");
}

/** Returns the id of the user that a key has registered, or null. */
export async function findRegistration(ctx: AppContext, { actorKey, key }: Registration): Promise<number | null> {
  const kept = await findKept(ctx, actorKey, key);
  return kept === null ? null : Number(JSON.parse(kept.answer.json).user_id);
}

/** Deletes expired keys; run by the server's sweep. */
export async function sweepIdempotencyKeys(ctx: AppContext): Promise<void> {
  await ctx.db
    .deleteFrom("idempotency_keys")
    .where("created_at", "<", ctx.clock.now() - KEPT_MS)
    .execute();
}

/** The time span of answers that one step of the deletion scans. */
const STRETCH_MS = 5 * 60_000;

/**
 * Deletes the answers kept for an actor, and answers kept since `from` (epoch ms) that contain `pattern`, one time span
 * per call. Returns where to continue; null when there are no later ones.
 */
export async function forgetAnswers(
  ctx: AppContext,
  actorKey: string,
  pattern: string,
  from: number,
): Promise<number | null> {
  await ctx.db.deleteFrom("idempotency_keys").where("actor_key", "=", actorKey).execute();
  const first = await ctx.db
    .selectFrom("idempotency_keys")
    .select((of) => of.fn.min("created_at").as("at"))
    .where("created_at", ">=", from)
    .executeTakeFirst();
  if (first === undefined || first.at === null) return null;
  const upTo = Number(first.at) + STRETCH_MS;
  await ctx.db
    .deleteFrom("idempotency_keys")
    .where("created_at", ">=", from)
    .where("created_at", "<", upTo)
    .where("response", "like", pattern)
    .execute();
  return upTo;
}
