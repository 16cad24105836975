import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import { pause } from "../../base/timers.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { historyWentBack } from "../../cluster/history-went-back.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { guardCommits } from "../../db/transact.ts";
import { controlMessages } from "./control-messages.ts";
import { ControlPosition, type Gap } from "./control-position.ts";
import { type Trust, trustOf } from "./trust.ts";

const POLL_MS = 500;
/** How long a node of a cluster waits for the log. */
const TIMEOUT_MS = 1_000;
/** Readings that may be without an answer at once; the pool's other connections are for requests. */
const UNANSWERED_MAX = 2;
/** How long trust waits for what handlers read from the database after a message. */
const SETTLE_MS = 250;
const DAY_MS = 24 * 60 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
const SWEEP_EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;

interface LogRow {
  id: number;
  kind: string;
  subject: string;
}

interface PollParts {
  scheduler?: Scheduler;
  /** The connection from which the log is read: apart from the connections of requests, so that these cannot keep the poll waiting. */
  db?: Db;
  read?: ReadLog;
}

/** Reads the rows from `from` on, and those in the gaps, in order. */
export type ReadLog = (from: number, gaps: readonly Gap[], limit: number) => Promise<LogRow[]>;

/**
 * Polls `control_log` twice a second for messages of other processes, and deletes old rows. Ends with the server. From
 * here on, and not before, state in memory is kept right. A node of a cluster trusts its memory only while this works.
 */
export async function startControlPoll(
  ctx: AppContext,
  { scheduler = systemScheduler, db = ctx.db, read = readLog(db) }: PollParts = {},
): Promise<void> {
  const poll = await ControlPoll.start(ctx, read);
  let cancel = () => {};
  let stopped = false;
  const next = () => {
    cancel = scheduler.after(POLL_MS, () => {
      poll.run().then(() => {
        if (!stopped) next();
      });
    });
  };
  next();
  ctx.onClose(() => {
    stopped = true;
    cancel();
  });
  // A node that was silent for long forgets everything, so a cluster, where every change has a row, keeps less.
  const sweep = controlSweep(ctx, ctx.cluster === null ? DAY_MS : HOUR_MS);
  runOnOne(ctx, "control", SWEEP_EVERY_MS, "removing old control messages failed", sweep);
}

const readLog =
  (db: Db): ReadLog =>
  (from, gaps, limit) => {
    const rows = db.selectFrom("control_log").select(["id", "kind", "subject"]).orderBy("id").limit(limit);
    if (gaps.length === 0) return rows.where("id", ">=", from).execute();
    return rows
      .where((eb) => eb.or([eb("id", ">=", from), ...gaps.map((gap) => eb.between("id", gap.from, gap.to))]))
      .execute();
  };

/**
 * Returns what deletes messages that are older than that, but not the newest one: it shows that the log has not gone
 * back. Deletes only what its last call has seen, too: by the clock of another node a message may be an hour old when it
 * is written, and other nodes have yet to read it.
 */
export function controlSweep(ctx: AppContext, keepMs: number): () => Promise<void> {
  let seen = 0;
  return async () => {
    const { id } = await ctx.db
      .selectFrom("control_log")
      .select((of) => of.fn.max("id").as("id"))
      .executeTakeFirstOrThrow();
    const newest = Number(id ?? 0);
    await ctx.db
      .deleteFrom("control_log")
      .where("created_at", "<", ctx.clock.now() - keepMs)
      .where("id", "<=", seen)
      .where("id", "<", newest)
      .execute();
    seen = newest;
  };
}

/** Reads the log from a position on. Exported for its test. */
export class ControlPoll {
  readonly #ctx: AppContext;
  readonly #read: ReadLog;
  readonly #trust: Trust | null;
  #position: ControlPosition;
  #unanswered = 0;
  #isFailing = false;

  private constructor(ctx: AppContext, read: ReadLog, position: ControlPosition) {
    this.#ctx = ctx;
    this.#read = read;
    this.#trust = trustOf(ctx);
    this.#position = position;
    controlMessages(ctx).position = position;
  }

  /** Begins behind the newest row: what is read into memory after this is newer. */
  static async start(ctx: AppContext, read: ReadLog = readLog(ctx.db)): Promise<ControlPoll> {
    const began = ctx.clock.monotonic();
    const poll = new ControlPoll(ctx, read, await positionAtEnd(ctx));
    const trust = trustOf(ctx);
    if (trust === null) return poll;
    trust.read(began);
    guardCommits(ctx.db, () => {
      const { period } = trust;
      return () => trust.assertSince(period);
    });
    return poll;
  }

  /** Runs one poll. Never rejects: while the database is unavailable, the next poll tries again. */
  async run(): Promise<void> {
    const began = this.#ctx.clock.monotonic();
    try {
      while ((await this.#readSome()) >= BATCH);
      this.#position.forget(began);
      if (this.#trust !== null)
        await Promise.race([controlMessages(this.#ctx).settled(), pause(SETTLE_MS, { unref: true })]);
      this.#trust?.read(began);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#ctx.log.warn({ err: error }, "reading control_log failed");
      this.#isFailing = true;
    }
  }

  /** Handles the next rows; returns how many there were. */
  async #readSome(): Promise<number> {
    const { max, gaps } = this.#position;
    const rows = await this.#ask(() => this.#read(max, [...gaps], BATCH));
    // The newest row is never deleted, so it is lost: the database was replaced by one that lacks the latest commits.
    if (max > 0 && rows.length < BATCH && !rows.some(({ id }) => Number(id) === max)) {
      await this.#beginAgain(max);
      return rows.length;
    }
    for (const { id, kind, subject } of rows) controlMessages(this.#ctx).take({ id: Number(id), kind, subject });
    return rows.length;
  }

  async #beginAgain(lost: number): Promise<void> {
    const position = await positionAtEnd(this.#ctx);
    const found = position.max;
    // A node that was away for an hour misses a row that was removed in the meantime, but then there is a newer one.
    if (this.#ctx.cluster !== null && found < lost) await historyWentBack(this.#ctx, { control: lost, found });
    this.#position = position;
    this.#ctx.log.error({ lost, newest: found }, "the control log went back; forgetting what is cached");
    controlMessages(this.#ctx).position = position;
    controlMessages(this.#ctx).lose();
  }

  /** In a cluster a reading that takes too long is given up: only what was read counts as heard. */
  async #ask(read: () => Promise<LogRow[]>): Promise<LogRow[]> {
    if (this.#trust === null) return read();
    if (this.#unanswered >= UNANSWERED_MAX) throw new Error("PostgreSQL does not answer.");
    this.#unanswered += 1;
    const reading = read().finally(() => {
      this.#unanswered -= 1;
    });
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`PostgreSQL did not answer in ${TIMEOUT_MS} ms.`)), TIMEOUT_MS);
    try {
      return await Promise.race([reading, promise]);
    } finally {
      clearTimeout(timer);
      reading.catch(() => {});
    }
  }
}

/** Returns the position behind the newest row. On a node of a cluster, ids that are absent before it may still come. */
async function positionAtEnd(ctx: AppContext): Promise<ControlPosition> {
  const rows = await ctx.db
    .selectFrom("control_log")
    .select("id")
    .orderBy("id", "desc")
    .limit(ctx.cluster === null ? 1 : BATCH)
    .execute();
  const ids = rows.map(({ id }) => Number(id)).reverse();
  const max = ids.at(-1) ?? 0;
  const position = new ControlPosition(max);
  if (ctx.cluster === null) return position;
  // Below a full page there are rows that were not read, and were handled long ago.
  let next = ids.length < BATCH ? 1 : (ids[0] ?? 1);
  for (const id of ids) {
    if (next < id) position.miss({ from: next, to: id - 1 }, ctx.clock.monotonic());
    next = id + 1;
  }
  return position;
}
