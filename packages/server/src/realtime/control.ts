import type { Kysely } from "kysely";
import { type Scheduler, systemScheduler } from "../base/scheduler.ts";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Tables } from "../db/tables/tables.ts";
import { CONTROL_TOPIC } from "./topics.ts";

/** The control messages between the parts and nodes of a Parley, with the format of each subject. */
export type ControlKind =
  /** `<session id>` */
  | "session_ended"
  /** `<user id>`, or `<user id>:<session id>` for all sessions but that one. */
  | "user_sessions_ended"
  /** `<user id>` */
  | "user_suspended"
  /** `<user id>` */
  | "user_changed"
  /** `<user id>`: this user's block list must be read again */
  | "blocks_changed"
  /** `<name key>` */
  | "name_retired"
  /** `<key id>` */
  | "key_revoked"
  /** `<agent id>` */
  | "agent_changed"
  /** `<channel id>:<epoch ms>` of the clear; from control_log only */
  | "guard_cleared"
  /** `<channel id>` */
  | "channel_changed"
  /** `<channel id>:<user ids, separated by commas>`: it was open to everybody until now; these are its members */
  | "channel_closed"
  /** `<channel id>:<seq>`: messages or events up to that seq were rewritten without an event of their own */
  | "history_rewritten"
  /** `<channel id>`: it is unknown whether events of it were committed; listeners may have to be notified */
  | "events_in_doubt"
  /** `<channel id>:u<user id>` or `<channel id>:a<agent id>` */
  | "membership_changed"
  /** `<channel id>:u<user id>` or `<channel id>:a<agent id>`; optionally `:<reason>`, as `access:ended` shows it */
  | "access_ended";

type ControlHandler = (subject: string) => void;

const POLL_MS = 500;
const KEEP_MS = 24 * 60 * 60 * 1_000;
const SWEEP_EVERY_MS = 60 * 60 * 1_000;
/** How long an id may stay uncommitted behind a higher one. PostgreSQL assigns ids before the commit. */
const LATE_MS = 10_000;
const BATCH = 1_000;

const registry = perServer((ctx) => {
  const handlers = new Map<string, ControlHandler[]>();
  const listening = ctx.hub.listen(CONTROL_TOPIC, (messages) => {
    for (const { event, frame } of messages) dispatch(ctx, handlers, event, frame);
  });
  ctx.onClose(listening);
  return handlers;
});

function dispatch(ctx: AppContext, handlers: Map<string, ControlHandler[]>, kind: string, subject: string): void {
  for (const handler of handlers.get(kind) ?? []) {
    try {
      handler(subject);
    } catch (error) {
      ctx.log.error({ err: error, kind, subject }, "a control handler failed");
    }
  }
}

/**
 * Publishes to every node, including this one, after the commit or when the commit's outcome is unknown: handlers read
 * the database again. Outside a transaction, the handlers of this node have run when it returns.
 */
export function publishControl(ctx: AppContext, kind: ControlKind, subject: string | number): void {
  registry(ctx);
  const tell = () => ctx.broker.publish(CONTROL_TOPIC, [{ event: kind, frame: String(subject) }]);
  ctx.afterCommit(tell, tell);
}

/** Handles a kind for the life of the server, whether this process, another node or the command line announced it. */
export function onControl(ctx: AppContext, kind: ControlKind, handler: ControlHandler): void {
  const handlers = registry(ctx);
  const found = handlers.get(kind);
  if (found === undefined) handlers.set(kind, [handler]);
  else found.push(handler);
}

/**
 * Records a control message for running servers, from a process without a broker: the command line (protocol §8:
 * received within 2 s).
 */
export async function recordControl(
  db: Kysely<Tables>,
  clock: Clock,
  kind: ControlKind,
  subject: string | number,
): Promise<void> {
  await db
    .insertInto("control_log")
    .values({ kind, subject: String(subject), created_at: clock.now() })
    .execute();
}

/**
 * Polls `control_log` twice a second for messages of other processes, and deletes rows older than a day. Ends with the
 * server.
 */
export async function startControlPoll(ctx: AppContext, scheduler: Scheduler = systemScheduler): Promise<void> {
  const poll = new ControlPoll(ctx, await newestId(ctx.db));
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
}

async function newestId(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom("control_log")
    .select((of) => of.fn.max("id").as("id"))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** The polling position in the log. Exported for its test. */
export class ControlPoll {
  readonly #ctx: AppContext;
  /** All ids up to here are handled. */
  #floor: number;
  /** Handled ids above the floor, with the monotonic time of their handling. */
  readonly #seen = new Map<number, number>();
  #sweptAt: number;

  constructor(ctx: AppContext, floor: number) {
    this.#ctx = ctx;
    this.#floor = floor;
    this.#sweptAt = ctx.clock.monotonic() - SWEEP_EVERY_MS;
  }

  /** Runs one poll. Never rejects: while the database is unavailable, the next poll tries again. */
  async run(): Promise<void> {
    try {
      await this.#read();
      await this.#sweep();
    } catch (error) {
      this.#ctx.log.warn({ err: error }, "reading control_log failed");
    }
  }

  async #read(): Promise<void> {
    const rows = await this.#ctx.db
      .selectFrom("control_log")
      .select(["id", "kind", "subject"])
      .where("id", ">", this.#floor)
      .orderBy("id")
      .limit(BATCH + this.#seen.size)
      .execute();
    const now = this.#ctx.clock.monotonic();
    for (const row of rows) {
      const id = Number(row.id);
      if (this.#seen.has(id)) continue;
      this.#seen.set(id, now);
      dispatch(this.#ctx, registry(this.#ctx), row.kind, row.subject);
    }
    for (const [id, at] of this.#seen) {
      if (now - at < LATE_MS) continue;
      this.#seen.delete(id);
      this.#floor = Math.max(this.#floor, id);
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#ctx.clock.monotonic();
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    await this.#ctx.db
      .deleteFrom("control_log")
      .where("created_at", "<", this.#ctx.clock.now() - KEEP_MS)
      .execute();
  }
}
