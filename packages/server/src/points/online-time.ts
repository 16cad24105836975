import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { type Scheduler, systemScheduler } from "../realtime/scheduler.ts";
import { creditHour } from "./earning.ts";
import { addOnline, type OnlineTime } from "./honor.store.ts";
import { OnlineSpans, type Piece } from "./online-spans.ts";

/** What a crash may cost a user. */
const SWEEP_MS = 60_000;
/** A transaction is meant to hold the thread no longer than this; more or fewer users go into the next. */
const SLICE_MS = 5;
const SLICE = { min: 10, first: 50, max: 500 } as const;
/** Statements are made for lists of these lengths only, so that few are kept prepared. */
const LENGTHS = [500, 200, 100, 50, 20, 10, 5, 2, 1] as const;
const HOUR_MS = 3_600_000;
/** Whoever looks at himself again and again makes no write of each look. */
const SETTLE_FROM_MS = 1_000;
/** How far the clocks of two nodes may differ. */
const SKEW_MS = 5 * 60_000;
/** A wall clock that has moved further than this against the monotonic one was set. */
const SET_MS = 1_000;

interface Counter {
  spans: OnlineSpans;
  /** One write at a time, so that no piece is written twice. */
  lane: Promise<unknown>;
}

const counter = perServer((): Counter => ({ spans: new OnlineSpans(), lane: Promise.resolve() }));

/**
 * Counts the time users are online, for as long as the server runs: from when presence knows of one to when it does not, however many
 * sockets he has, in milliseconds. It is written each minute and at the end, so that a restart loses nothing and a crash a minute.
 */
export function startOnlineTime(ctx: AppContext, scheduler: Scheduler = systemScheduler): void {
  const { spans } = counter(ctx);
  const { clock } = ctx;
  ctx.presence.onUserChange((userId, isOnline) => {
    const at = clock.monotonic();
    if (isOnline) spans.begin(userId, at, clock.now() - at);
    else spans.end(userId, at);
  });
  let running = Promise.resolve();
  let stopped = false;
  let cancel = () => {};
  const next = () => {
    if (stopped) return;
    cancel = scheduler.after(SWEEP_MS, () => {
      running = sweepOnlineTime(ctx)
        .catch((error: unknown) => ctx.log.warn({ err: error }, "time online was not written; it is tried again"))
        .then(next);
    });
  };
  next();
  ctx.onClose(async () => {
    stopped = true;
    cancel();
    await running;
    await sweepOnlineTime(ctx);
  });
}

/** Writes the time of all users, in slices between which others have their turn. */
export async function sweepOnlineTime(ctx: AppContext): Promise<void> {
  const users = counter(ctx).spans.users();
  let size: number = SLICE.first;
  for (let from = 0; from < users.length; ) {
    const slice = users.slice(from, from + size);
    from += slice.length;
    const spent = await inLane(ctx, () => write(ctx, slice));
    size = Math.min(Math.max(Math.floor((size * SLICE_MS) / Math.max(spent, 0.1)), SLICE.min), 2 * size, SLICE.max);
    await new Promise(setImmediate);
  }
}

/** Writes the time of one user up to now, unless that has just been done. */
export async function settleOnlineTime(ctx: AppContext, userId: number): Promise<void> {
  const pieces = counter(ctx).spans.piecesOf(userId, ctx.clock.monotonic());
  const unwritten = pieces.reduce((sum, { from, until }) => sum + until - from, 0);
  if (unwritten >= SETTLE_FROM_MS) await inLane(ctx, () => write(ctx, [userId]));
}

/** Drops what is not written of a user's time, and counts him no further. */
export function forgetOnlineTime(ctx: AppContext, userId: number): void {
  const { spans } = counter(ctx);
  const at = ctx.clock.monotonic();
  spans.end(userId, at);
  spans.settle(spans.piecesOf(userId, at));
}

function inLane<T>(ctx: AppContext, act: () => Promise<T>): Promise<T> {
  const own = counter(ctx);
  const done = own.lane.then(act);
  own.lane = done.catch(() => {});
  return done;
}

/** Gives back how long the transaction took from its begin on: waiting for it costs nobody anything. */
async function write(ctx: AppContext, users: readonly number[]): Promise<number> {
  const { spans } = counter(ctx);
  const { clock } = ctx;
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  const pieces = users.map((userId) => spans.piecesOf(userId, monotonic));
  let begun = monotonic;
  await transact(ctx, async (ctx) => {
    begun = clock.monotonic();
    for (const round of rounds(pieces)) {
      const times = round.map((piece) => timeOf(piece, now - monotonic)).filter(({ ms }) => ms > 0);
      if (times.length > 0) await count(ctx, times, now + SKEW_MS);
    }
  });
  spans.settle(pieces.flat());
  return clock.monotonic() - begun;
}

/** One statement can change a user's row once: the first piece of each, the second of each, … */
function rounds(pieces: readonly (readonly Piece[])[]): Piece[][] {
  const length = Math.max(0, ...pieces.map((own) => own.length));
  return Array.from({ length }, (_, n) => pieces.flatMap((own) => own[n] ?? []));
}

/** In whole milliseconds. Its length is the monotonic clock's: who sets the wall clock forward gives nobody hours. */
function timeOf({ span, from, until }: Piece, ahead: number): OnlineTime {
  if (Math.abs(span.ahead - ahead) > SET_MS) span.ahead = ahead;
  const end = Math.floor(until + span.ahead);
  return { userId: span.userId, ms: end - Math.floor(from + span.ahead), until: end };
}

async function count(ctx: AppContext, times: readonly OnlineTime[], latest: number): Promise<void> {
  for (let from = 0; from < times.length; ) {
    const left = times.length - from;
    const part = times.slice(from, from + (LENGTHS.find((length) => length <= left) ?? left));
    from += part.length;
    const lengths = new Map(part.map(({ userId, ms }) => [userId, ms]));
    for (const { user_id: userId, online_ms: total } of await addOnline(ctx.db, part, latest))
      await payHours(ctx, userId, total - (lengths.get(userId) ?? 0), total);
  }
}

/** Pays for the hours that became full: at most those since `before`, and one that was full already is not paid again. */
async function payHours(ctx: AppContext, userId: number, before: number, total: number): Promise<void> {
  for (let hour = Math.floor(Math.max(0, before) / HOUR_MS) + 1; hour * HOUR_MS <= total; hour++)
    await creditHour(ctx, userId, hour);
}
