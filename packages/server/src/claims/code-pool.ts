import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Tables } from "../db/tables.ts";
import { makeCodes } from "./code-format.ts";
import * as store from "./codes.store.ts";

/** Rows of one insert. */
const BATCH = 250;
/** Inserts of one pass; what is missing then waits for the next. */
const BATCHES_PER_PASS = 8;
const LOOK_MS = 60_000;
/** Below this share of the pool the operator is warned. */
const LOW = 0.1;
/** Below this share it is topped up, without waiting for the next look. */
const TOP_UP = 0.5;
/** A code is remembered this long after its end, so that who comes late hears why. */
const REMEMBERED_MS = 24 * 3_600_000;
const FORGOTTEN_PER_PASS = 1_000;

/** What the command line has: the pool is filled beside a running server. */
export interface PoolContext {
  db: Kysely<Tables>;
  clock: Clock;
}

/** Adds so many codes to the pool, in several statements. Gives back how many: fewer only when chance brings none that are new. */
export async function fillPool(ctx: PoolContext, count: number): Promise<number> {
  let added = 0;
  while (added < count) {
    const codes = new Set(makeCodes(ctx.clock, Math.min(BATCH, count - added)));
    const fresh = await store.insertCodes(ctx.db, [...codes], ctx.clock.now());
    if (fresh === 0) break;
    added += fresh;
  }
  return added;
}

/** How things stand with the pool. */
export interface PoolStatus {
  /** Codes that wait to be given out. */
  waiting: number;
  /** Codes that were given out and can be redeemed. */
  open: number;
  /** Used up and expired in the last day. */
  used: number;
  expired: number;
}

export async function poolStatus(ctx: PoolContext): Promise<PoolStatus> {
  return { waiting: await store.countWaiting(ctx.db), ...(await store.countIssued(ctx.db, ctx.clock.now())) };
}

/** What this node knows of the pool between two looks at it. */
interface Pool {
  waiting: number;
  /** What 10 % are reckoned of: the size it is kept at, or the most there ever was when only the command line fills it. */
  full: number;
  warned: boolean;
  pass: Promise<void> | null;
}

const pool = perServer((ctx): Pool => ({ waiting: 0, full: ctx.config.codePoolSize, warned: false, pass: null }));

/** Fills the pool, and keeps it filled and swept until the server stops. */
export async function startCodePool(ctx: AppContext): Promise<void> {
  await lookAfter(ctx);
  const timer = setInterval(() => void lookAfter(ctx), LOOK_MS);
  timer.unref();
  ctx.onClose(async () => {
    clearInterval(timer);
    await pool(ctx).pass;
  });
}

/** A code was given out. */
export function noteTaken(ctx: AppContext): void {
  const state = pool(ctx);
  know(ctx, Math.max(0, state.waiting - 1));
  if (state.waiting < ctx.config.codePoolSize * TOP_UP) void lookAfter(ctx);
}

/** There was none. */
export function noteEmpty(ctx: AppContext): void {
  know(ctx, 0);
  void lookAfter(ctx);
}

/** One pass at a time, bounded. Never rejects: what failed is tried again at the next look. */
function lookAfter(ctx: AppContext): Promise<void> {
  const state = pool(ctx);
  state.pass ??= pass(ctx.root)
    .catch((error: unknown) => ctx.log.warn({ err: error }, "the pool of verification codes could not be looked after"))
    .finally(() => {
      state.pass = null;
    });
  return state.pass;
}

async function pass(ctx: AppContext): Promise<void> {
  const { codePoolSize } = ctx.config;
  let waiting = await store.countWaiting(ctx.db);
  for (let batch = 0; batch < BATCHES_PER_PASS && waiting < codePoolSize; batch++) {
    const added = await fillPool(ctx, Math.min(BATCH, codePoolSize - waiting));
    if (added === 0) break;
    waiting += added;
  }
  know(ctx, waiting);
  await store.forgetCodes(ctx.db, ctx.clock.now() - REMEMBERED_MS, FORGOTTEN_PER_PASS);
}

/** Is so little left that the operator should know? `full`: what the pool is kept at. */
export function isPoolLow(waiting: number, full: number): boolean {
  return waiting < Math.max(1, full * LOW);
}

function know(ctx: AppContext, waiting: number): void {
  const state = pool(ctx);
  state.waiting = waiting;
  if (ctx.config.codePoolSize === 0) state.full = Math.max(state.full, waiting);
  ctx.metrics.codePoolIs(waiting);
  const isLow = isPoolLow(waiting, state.full);
  if (isLow && !state.warned)
    ctx.log.warn({ waiting, full: state.full }, "few verification codes are left: parley codes fill <count> adds some");
  state.warned = isLow;
}
