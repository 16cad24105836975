import { existsSync, realpathSync, rmSync } from "node:fs";
import { type AppContext, perServer } from "../context.ts";
import { endOnFatal } from "../db/database.ts";
import type { Db } from "../db/db.ts";
import type { Module } from "../module.ts";
import { checkReplica } from "./doctor.ts";
import { openReplica } from "./open-replica.ts";
import { Replica } from "./replica.ts";
import { spoolOf } from "./spool.ts";

/** Names the database in its replica. A restore keeps it, unlike the epoch. */
const IDENTITY = "replica_database";

/** The replica of this server, once it has started. */
const running = perServer((): { replica: Replica | null } => ({ replica: null }));

export const replica: Module = {
  name: "replica",
  doctor: [checkReplica],
  register(ctx) {
    // Registered before all jobs start, so it closes after them: what they write last is copied, too.
    if (ctx.config.replica !== null) ctx.onClose(() => running(ctx).replica?.close());
  },
  async start(ctx) {
    if (ctx.config.database.kind !== "sqlite" || ctx.config.database.path === ":memory:") return;
    // A server that was given its database, as in tests, may have no file here.
    if (!existsSync(ctx.config.database.path)) return;
    const path = realpathSync(ctx.config.database.path);
    // Without a replica nobody follows the log: what waits in the spool must never be continued.
    if (ctx.config.replica === null) rmSync(spoolOf(path), { recursive: true, force: true });
    else await start(ctx, path);
  },
};

async function start(ctx: AppContext, path: string): Promise<void> {
  const { config, clock, log, epoch, metrics } = ctx;
  const made = new Replica({
    path,
    storage: openReplica(config),
    database: await identityOf(ctx.db, Buffer.from(clock.random(16)).toString("hex")),
    epoch,
    days: config.replicaDays,
    clock,
    log,
    onFatal: endOnFatal(log),
  });
  await made.start();
  running(ctx).replica = made;
  metrics.replicaFrom(() => made.numbers);
}

/** Returns the database's identity; `fresh` if it had none. */
async function identityOf(db: Db, fresh: string): Promise<string> {
  await db
    .insertInto("meta")
    .values({ key: IDENTITY, value: fresh })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const found = db.selectFrom("meta").select("value").where("key", "=", IDENTITY);
  return (await found.executeTakeFirstOrThrow()).value;
}
