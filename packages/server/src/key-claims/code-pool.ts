import { startBackgroundJob } from "../base/background-job.ts";
import { type Clock, systemClock } from "../clock.ts";
import { duty } from "../cluster/duties.ts";
import type { Config } from "../config/config.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Db } from "../db/db.ts";
import { type DatabaseFacts, isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { Finding } from "../module.ts";
import { makeCodes } from "./code-format.ts";
import * as store from "./codes.store.ts";

/** Rows per insert. */
const BATCH = 250;
/** Inserts per pass; the remainder waits for the next pass. */
const BATCHES_PER_PASS = 8;
const LOOK_MS = 60_000;
const MAINTENANCE_FAILED = "maintaining the pool of verification codes failed";
/** Below this share of the pool the operator gets a warning. */
const LOW = 0.1;
/** Below this share the pool is refilled without waiting for the next pass. */
const TOP_UP = 0.5;
/** How long codes are kept after they end, so that late callers get the reason. */
const REMEMBERED_MS = 24 * 3_600_000;
const FORGOTTEN_PER_PASS = 1_000;

/** The context of the command line, which fills the pool beside a running server. */
export interface PoolContext {
  db: Db;
  clock: Clock;
}

/**
 * Adds `count` codes to the pool, in several statements. Returns how many: fewer only if random draws produce no new
 * ones.
 */
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

/** The state of the pool. */
export interface PoolStatus {
  /** Codes that are not given out yet. */
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

/** This node's view of the pool between two passes. */
interface Pool {
  waiting: number;
  /**
   * The base of the 10 % warning: the configured size, or the highest count so far if only the command line fills the
   * pool.
   */
  full: number;
  warned: boolean;
  pass: Promise<void> | null;
  /** Whether this node keeps the pool for all. */
  isOwn: () => boolean;
}

const pool = perServer((ctx): Pool => {
  const isOwn = duty(ctx, "fill the code pool");
  return { waiting: 0, full: ctx.config.codePoolSize, warned: false, pass: null, isOwn };
});

/**
 * Fills the pool, then keeps it filled and swept until the server stops. In a cluster one node does so; the others
 * count, and fill it when they take from a pool that is half empty.
 */
export async function startCodePool(ctx: AppContext): Promise<void> {
  await lookAfter(ctx);
  startBackgroundJob(ctx, LOOK_MS, MAINTENANCE_FAILED, () => lookAfter(ctx));
  ctx.onClose(async () => {
    await pool(ctx).pass; // a request may have started it
  });
}

/** Records that a code was given out. */
export function noteTaken(ctx: AppContext): void {
  const state = pool(ctx);
  know(ctx, Math.max(0, state.waiting - 1));
  if (state.waiting < ctx.config.codePoolSize * TOP_UP) void lookAfter(ctx, true);
}

/** Records that the pool was empty. */
export function noteEmpty(ctx: AppContext): void {
  know(ctx, 0);
  void lookAfter(ctx, true);
}

/**
 * Runs one bounded pass at a time, which fills the pool if it is asked to, or if that is this node's duty. Never
 * rejects: a failed pass is retried at the next interval.
 */
function lookAfter(ctx: AppContext, isAsked = false): Promise<void> {
  const state = pool(ctx);
  state.pass ??= pass(ctx.root, isAsked || state.isOwn())
    .catch((error: unknown) => ctx.log.warn({ err: error }, MAINTENANCE_FAILED))
    .finally(() => {
      state.pass = null;
    });
  return state.pass;
}

async function pass(ctx: AppContext, isFilling: boolean): Promise<void> {
  const { codePoolSize } = ctx.config;
  let waiting = await store.countWaiting(ctx.db);
  if (!isFilling && waiting > 0) return know(ctx, waiting);
  for (let batch = 0; batch < BATCHES_PER_PASS && waiting < codePoolSize; batch++) {
    const added = await fillPool(ctx, Math.min(BATCH, codePoolSize - waiting));
    if (added === 0) break;
    waiting += added;
  }
  know(ctx, waiting);
  await store.forgetCodes(ctx.db, ctx.clock.now() - REMEMBERED_MS, FORGOTTEN_PER_PASS);
}

/** True if so few codes are left that the operator should know. `full` is the size of a full pool. */
function isPoolLow(waiting: number, full: number): boolean {
  return waiting < Math.max(1, full * LOW);
}

function know(ctx: AppContext, waiting: number): void {
  const state = pool(ctx);
  state.waiting = waiting;
  if (ctx.config.codePoolSize === 0) state.full = Math.max(state.full, waiting);
  ctx.metrics.codePoolIs(waiting);
  const isLow = isPoolLow(waiting, state.full);
  if (isLow && !state.warned)
    ctx.log.warn(
      { waiting, full: state.full },
      "few verification codes are left; add some with: parley codes fill <count>",
    );
  state.warned = isLow;
}

/** Checks that there are verification codes to give out. Skips a database of another schema. */
export async function checkCodes(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const check = "code pool";
  const { waiting } = await readSnapshot(config.database, systemClock, (db) => poolStatus({ db, clock: systemClock }));
  const text = `${waiting} verification codes are in stock`;
  if (!isPoolLow(waiting, config.codePoolSize)) return [{ check, state: "ok", text }];
  const advice =
    config.codePoolSize > 0
      ? "a running server adds more within a minute; check its log if it does not"
      : "without codes nobody can claim a key; run: codes fill <count>";
  return [{ check, state: "advice", text: `only ${text}; ${advice}` }];
}
