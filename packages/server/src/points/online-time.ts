import { startBackgroundJob } from "../base/background-job.ts";
import { type Scheduler, systemScheduler } from "../base/scheduler.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { creditHour } from "./earning.ts";
import { addOnline, type OnlineTime } from "./honor.store.ts";
import { OnlineSpans, type Piece } from "./online-spans.ts";

/** The interval between writes: the online time that a crash can lose. */
const SWEEP_MS = 60_000;
/** How soon the time of users who went offline is written in a cluster. */
const CLOSED_MS = 1_000;
/** The target duration of a transaction; the size of the next batch is adjusted to it. */
const SLICE_MS = 5;
const SLICE = { min: 10, first: 50, max: 500 } as const;
/** Statements are only built for lists of these lengths, so that few prepared statements are cached. */
const LENGTHS = [500, 200, 100, 50, 20, 10, 5, 2, 1] as const;
const HOUR_MS = 3_600_000;
/**
 * The minimum unwritten time for which a read of the honor causes a write, so that frequent reads do not write often.
 */
const SETTLE_FROM_MS = 1_000;
/** The maximum difference between the clocks of two nodes. */
const SKEW_MS = 5 * 60_000;
/** A wall clock that has shifted by more than this against the monotonic one was set. */
const SET_MS = 1_000;

interface Counter {
  spans: OnlineSpans;
  /** Serializes the writes, so that no piece is written twice. */
  lane: Promise<unknown>;
}

const counter = perServer((): Counter => ({ spans: new OnlineSpans(), lane: Promise.resolve() }));

/**
 * Counts users' online time in milliseconds, until the server closes: while presence lists the user, however many
 * sockets they have. It is written every minute and at shutdown, so that a restart loses nothing and a crash at most a
 * minute.
 */
export function startOnlineTime(ctx: AppContext, scheduler: Scheduler = systemScheduler): void {
  const { spans } = counter(ctx);
  const { clock } = ctx;
  const closed = ctx.cluster === null ? null : writeWhenClosed(ctx);
  ctx.presence.onUserChange((userId, isOnline) => {
    const at = clock.monotonic();
    if (isOnline) spans.begin(userId, at, clock.now() - at);
    else {
      spans.end(userId, at);
      closed?.add(userId);
    }
  });
  let running = Promise.resolve();
  let stopped = false;
  let cancel = () => {};
  const next = () => {
    if (stopped) return;
    cancel = scheduler.after(SWEEP_MS, () => {
      running = sweepOnlineTime(ctx)
        .catch((error: unknown) => ctx.log.warn({ err: error }, "storing online time failed; it will be retried"))
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

/**
 * Writes the time of users soon after they went offline on this node: another node, to which they have returned, would
 * otherwise write later time first, and what is older counts as written. Returns the users to write.
 */
function writeWhenClosed(ctx: AppContext): Set<number> {
  const closed = new Set<number>();
  startBackgroundJob(ctx, CLOSED_MS, "storing online time failed; it will be retried", async () => {
    const users = [...closed];
    closed.clear();
    await writeAll(ctx, users);
  });
  return closed;
}

/** Writes the time of all users. */
export function sweepOnlineTime(ctx: AppContext): Promise<void> {
  return writeAll(ctx, counter(ctx).spans.users());
}

/** Writes the users' time in batches, and yields to other work between them. */
async function writeAll(ctx: AppContext, users: readonly number[]): Promise<void> {
  let size: number = SLICE.first;
  for (let from = 0; from < users.length; ) {
    const slice = users.slice(from, from + size);
    from += slice.length;
    const spent = await inLane(ctx, () => write(ctx, slice));
    size = Math.min(Math.max(Math.floor((size * SLICE_MS) / Math.max(spent, 0.1)), SLICE.min), 2 * size, SLICE.max);
    await new Promise(setImmediate);
  }
}

/** Writes one user's time up to now, unless that was just done. */
export async function settleOnlineTime(ctx: AppContext, userId: number): Promise<void> {
  const pieces = counter(ctx).spans.piecesOf(userId, ctx.clock.monotonic());
  const unwritten = pieces.reduce((sum, { from, until }) => sum + until - from, 0);
  if (unwritten >= SETTLE_FROM_MS) await inLane(ctx, () => write(ctx, [userId]));
}

/** Discards a user's unwritten time and stops counting them. */
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

/** Writes the users' time. Returns the duration of the transaction itself: time spent waiting for it blocks nobody. */
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

/**
 * Groups the pieces so that each statement has at most one per user, because it can change a row only once: first
 * pieces, second pieces, and so on.
 */
function rounds(pieces: readonly (readonly Piece[])[]): Piece[][] {
  const length = Math.max(0, ...pieces.map((own) => own.length));
  return Array.from({ length }, (_, n) => pieces.flatMap((own) => own[n] ?? []));
}

/**
 * Returns the piece in whole milliseconds. The monotonic clock determines its length, so that setting the wall clock
 * forward does not add hours.
 */
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

/** Pays for the hours that became full since `before`. An hour that was already paid is not paid again. */
async function payHours(ctx: AppContext, userId: number, before: number, total: number): Promise<void> {
  for (let hour = Math.floor(Math.max(0, before) / HOUR_MS) + 1; hour * HOUR_MS <= total; hour++)
    await creditHour(ctx, userId, hour);
}
