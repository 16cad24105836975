import { audit, erasedActor } from "../audit/audit.ts";
import { BackOff } from "../base/backoff.ts";
import { Alarm } from "../base/timers.ts";
import { duty } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { isSqlite } from "../db/dialect.ts";
import { transact } from "../db/transact.ts";
import { BEGINNING } from "../erasure.ts";
import { CpuThrottle } from "../event-log/consumer-pace.ts";
import { deleteErasure, type ErasureRow, listErasures, lockErasure, moveErasure } from "./erasures.store.ts";
import { erasingSteps } from "./steps.ts";

/**
 * The delay before an erasure starts. By then, work in flight at the closing of the account is done: requests, queued
 * messages, and the seconds after a socket closes in which its user still counts as online.
 */
export const SETTLE_MS = 6_000;
/**
 * The same in a cluster, where other nodes hear of the closing up to 2 s later, and their clocks may differ from this
 * node's.
 */
const CLUSTER_SETTLE_MS = 15_000;
/** Returns the delay before an erasure on this server starts. */
export const settleMs = ({ cluster }: Pick<AppContext, "cluster">): number =>
  cluster === null ? SETTLE_MS : CLUSTER_SETTLE_MS;
/** How often the list is polled for erasures that another node or an earlier process left. */
const LOOK_MS = 60_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;
/** Erasures read at once; they are processed one at a time. */
const LIST_MAX = 100;

/**
 * Erases closed accounts in the background, in batches. Each batch is a transaction of a few milliseconds that also
 * stores its progress, so a crash loses at most one batch. Between batches it yields to other work.
 */
class Eraser {
  readonly #ctx: AppContext;
  readonly #throttle: CpuThrottle;
  readonly #failed: BackOff;
  readonly #alarm: Alarm;
  #lane: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#throttle = new CpuThrottle(ctx.clock, isSqlite(ctx.db));
    this.#failed = new BackOff(ctx.clock, RETRY_MS, RETRY_MAX_MS);
    this.#alarm = new Alarm(ctx.clock, () => this.#run());
  }

  start(): void {
    const isOwn = duty(this.#ctx, "erase accounts");
    const look = () => {
      if (isOwn()) this.wake(0);
    };
    const looking = setInterval(look, LOOK_MS);
    looking.unref();
    look();
    this.#ctx.onClose(async () => {
      this.#stopped = true;
      clearInterval(looking);
      await this.#lane;
      this.#alarm.clear();
    });
  }

  wake(inMs: number): void {
    if (!this.#stopped) this.#alarm.set(inMs);
  }

  #run(): void {
    this.#lane = this.#lane.then(async () => {
      if (this.#stopped) return;
      try {
        await this.#work();
      } catch (error) {
        this.#ctx.log.warn({ err: error }, "reading the list of accounts to erase failed");
        this.wake(RETRY_MS);
      }
    });
  }

  /** Runs one batch of the first erasure that is due, then rests. */
  async #work(): Promise<void> {
    const all = await listErasures(this.#ctx.db, LIST_MAX);
    const due = new Set(this.#failed.due());
    const ready = all.filter(({ user_id }) => !this.#failed.has(user_id) || due.has(user_id));
    const [first] = ready;
    if (first !== undefined) {
      const early = first.started_at + settleMs(this.#ctx) - this.#ctx.clock.now();
      this.wake(early > 0 ? early : await this.#advance(first));
    }
    const retry = this.#failed.nextIn;
    if (retry !== undefined) this.wake(retry);
  }

  /** Runs one batch and returns how long to rest. */
  async #advance(row: ErasureRow): Promise<number> {
    const started = this.#ctx.clock.monotonic();
    let spent: number | undefined;
    try {
      // Waiting for a turn before the transaction and for the disk after it costs nothing.
      await transact(this.#ctx, async (ctx) => {
        const stop = this.#throttle.start();
        await erasePiece(ctx, row);
        spent = stop().wall;
      });
      this.#failed.succeeded(row.user_id);
    } catch (error) {
      this.#failed.failed(row.user_id);
      this.#ctx.log.error({ err: error, userId: row.user_id, step: row.step }, "erasing an account failed; retrying");
    }
    return this.#throttle.restAfter(spent ?? this.#ctx.clock.monotonic() - started);
  }
}

/**
 * Runs the next batch of an erasure, unless another node was first. After the last batch, removes the row and writes to
 * the audit log.
 */
async function erasePiece(ctx: AppContext, row: ErasureRow): Promise<void> {
  await transact(ctx, async (ctx) => {
    if (!(await lockErasure(ctx.db, row))) return;
    const steps = erasingSteps.of(ctx);
    const found = steps.findIndex(({ name }) => name === row.step);
    const at = Math.max(found, 0);
    const from = found === -1 ? BEGINNING : { a: row.place_a, b: row.place_b };
    const user = { userId: row.user_id, username: row.username };
    const place = await steps[at]?.erase(ctx, user, from);
    if (place != null) {
      await moveErasure(ctx.db, row, { step: steps[at]?.name ?? "", place_a: place.a, place_b: place.b });
      return;
    }
    const next = steps[at + 1];
    if (next !== undefined) {
      await moveErasure(ctx.db, row, { step: next.name, place_a: BEGINNING.a, place_b: BEGINNING.b });
      return;
    }
    await audit(ctx, { username: erasedActor(row.user_id) }, "user_erased", `user:${row.user_id}`);
    await deleteErasure(ctx.db, row.user_id);
  });
}

const eraser = perServer((ctx) => new Eraser(ctx));

/** Starts erasing closed accounts, including those left unfinished, until the server closes. */
export function startErasing(ctx: AppContext): void {
  eraser(ctx).start();
}

/** Schedules a look at the list, after an account was closed. */
export function wakeEraser(ctx: AppContext, inMs: number): void {
  eraser(ctx).wake(inMs);
}

/** Runs all pending erasures now, without rests. Never call it inside `transact`. */
export async function eraseAll(ctx: AppContext): Promise<void> {
  for (let [row] = await listErasures(ctx.db, 1); row !== undefined; [row] = await listErasures(ctx.db, 1)) {
    await erasePiece(ctx, row);
  }
}
