import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { AppContext } from "../context.ts";
import { type OpenDatabase, openDatabase, readEpoch } from "../db/database.ts";
import { createLog } from "../logging/log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { MemoryRateLimiter } from "../rate-limit/rate-limiter.memory.ts";
import { MemoryBroker } from "../realtime/broker/broker.memory.ts";
import { Hub } from "../realtime/hub.ts";
import { MemoryPresence } from "../realtime/presence/presence.memory.ts";
import { usualTiming } from "../timing.ts";
import type { Invocation } from "./command.ts";
import { describeDatabase } from "./running-server.ts";

/** A command's access to the database, beside a running server or without one. Close it with `await using`. */
export interface Tool extends AsyncDisposable {
  config: Config;
  database: OpenDatabase;
  /**
   * For services that need a whole context. Its events reach no one; running servers are notified through
   * `control_log`.
   */
  ctx: AppContext;
}

interface ToolOptions {
  /** Connections to PostgreSQL at once. */
  poolSize?: number;
  /** True for a command that must be alone on its database: it refuses while a server runs. */
  isAlone?: boolean;
}

/** Opens the database for a command that writes, and tells the user which one it is. */
export async function openWritingTool(call: Invocation, options?: ToolOptions): Promise<Tool> {
  const tool = await openTool(call, options);
  call.err(`${await describeDatabase(tool.config, tool.database)}\n`);
  return tool;
}

export async function openTool(call: Invocation, { poolSize = 1, isAlone = false }: ToolOptions = {}): Promise<Tool> {
  const config = loadConfig(call.env);
  const log = createLog({ level: "warn", readable: true, write: call.err });
  const database = await openDatabase(config.database, systemClock, {
    mode: isAlone ? "server" : "tool",
    poolSize,
    log,
  });
  const metrics = new Metrics(systemClock);
  const broker = new MemoryBroker({ onError: (err) => log.error({ err }, "an event handler failed") });
  broker.onMessages(() => {});
  const ctx: AppContext = {
    config,
    log,
    clock: systemClock,
    timing: usualTiming,
    db: database.db,
    epoch: await readEpoch(database.db),
    metrics,
    cluster: null,
    redis: null,
    broker,
    hub: new Hub(broker),
    presence: new MemoryPresence(),
    limiter: new MemoryRateLimiter(config, systemClock),
    slots: new Map(),
    get root() {
      return ctx;
    },
    storageError: () => undefined,
    afterCommit: (act) => act(),
    onClose() {},
  };
  return {
    config,
    database,
    ctx,
    async [Symbol.asyncDispose]() {
      metrics[Symbol.dispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
